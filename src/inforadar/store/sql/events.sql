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
-- Whether a query was last told to be out or to be back.
SELECT kind FROM events
WHERE source = :source AND query_key = :query_key AND kind IN ('outage', 'recovery')
ORDER BY id DESC LIMIT 1

-- name: event_prune
-- Forget old events, but never the last that was told of a source or of a query.
DELETE FROM events WHERE id IN (
  SELECT e.id FROM events e
  WHERE e.at < :before AND EXISTS (
    SELECT 1 FROM events newer
    WHERE newer.source = e.source AND newer.query_key IS NOT DISTINCT FROM e.query_key AND newer.id > e.id
  )
  ORDER BY e.id LIMIT :n
)
