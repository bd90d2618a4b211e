-- name: event_add
-- Something worth telling a person once.
INSERT INTO events (at, kind, source, query_key, message) VALUES (:at, :kind, :source, :query_key, :message)

-- name: event_recent
-- The latest events, newest first.
SELECT id, at, kind, source, query_key, message
FROM events
WHERE TRUE
  AND source = :source                   -- if: source
ORDER BY id DESC
LIMIT :limit

-- name: event_last_of_query
-- What was told of a query last.
SELECT kind FROM events WHERE source = :source AND query_key = :query_key ORDER BY id DESC LIMIT 1
