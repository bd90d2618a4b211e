-- name: response_table_create
-- The one table of a cache file.
CREATE TABLE IF NOT EXISTS responses (
  key TEXT PRIMARY KEY,
  stored_at TIMESTAMP_TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers JSON_TEXT NOT NULL,
  url TEXT NOT NULL,
  body BLOB NOT NULL
)

-- name: response_get
-- An answer kept under a key, if it is young enough.
SELECT status, headers, url, body FROM responses WHERE key = :key AND stored_at > :oldest AND stored_at <= :now

-- name: response_put
-- Keep an answer.
INSERT INTO responses (key, stored_at, status, headers, url, body)
VALUES (:key, :now, :status, :headers, :url, :body)
ON CONFLICT (key) DO UPDATE
SET stored_at = excluded.stored_at, status = excluded.status, headers = excluded.headers, url = excluded.url,
    body = excluded.body

-- name: response_prune
-- Forget what is too old, and the oldest of what is too much.
DELETE FROM responses
WHERE stored_at <= :oldest OR key IN (
  SELECT sized.key
  FROM (SELECT key, sum(length(body)) OVER (ORDER BY stored_at DESC, key) AS total FROM responses) AS sized
  WHERE sized.total > :max_bytes
)
