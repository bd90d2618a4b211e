-- name: store_version
-- Which version of the database answers.
SELECT sqlite_version() AS version
