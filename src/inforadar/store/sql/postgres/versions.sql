-- name: store_version
-- Which version of the database answers.
SELECT current_setting('server_version') AS version
