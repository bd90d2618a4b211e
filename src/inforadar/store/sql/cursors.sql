-- name: cursor_get
-- How far something has been read.
SELECT value FROM cursors WHERE name = :name

-- name: cursor_put
-- Read on from here.
INSERT INTO cursors (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
