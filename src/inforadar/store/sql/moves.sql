-- name: moves_after
-- Changes of statuses behind an event, each with its match as that stands now.
SELECT e.id AS event_id, e.at, m.id, m.status, m.version, m.later_until
FROM match_events e
JOIN matches m ON m.id = e.match_id
WHERE e.id > :after
ORDER BY e.id
LIMIT :limit

-- name: moves_named
-- Those of these events that are there by now.
SELECT e.id AS event_id, e.at, m.id, m.status, m.version, m.later_until
FROM match_events e
JOIN matches m ON m.id = e.match_id
WHERE e.id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY e.id

-- name: moves_settled
-- The newest event below which no number was left out of late.
WITH newest AS (SELECT id, at FROM match_events ORDER BY id DESC LIMIT :limit),
numbered AS (SELECT id, at, lag(id) OVER (ORDER BY id) AS below FROM newest)
SELECT coalesce(min(CASE WHEN at >= :since AND below < id - 1 THEN below END), max(id)) AS id FROM numbered

-- name: moves_since
-- Those of these matches whose status changed behind an event.
SELECT DISTINCT match_id AS id FROM match_events
WHERE match_id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids)) AND id > :after
