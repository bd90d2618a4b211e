-- name: match_known
-- Which of these keys the watch has dealt with: it has a match or a tombstone.
SELECT k.key FROM json_each(:keys) k
WHERE EXISTS (
  SELECT 1 FROM items i JOIN matches m ON m.item_id = i.id AND m.watch = :watch
  WHERE i.source = :source AND i.key = k.key
) OR EXISTS (
  SELECT 1 FROM tombstones t WHERE t.source = :source AND t.key = k.key AND t.watch = :watch
)

-- name: match_insert
-- New matches of a watch, ready for work; those it has already are left alone.
INSERT INTO matches (watch, item_id, query_key, status, created_at, updated_at)
SELECT CAST(:watch AS TEXT), CAST(key AS BIGINT), CAST(:query_key AS TEXT), 'QUEUED', :now, :now
FROM json_each(:item_ids)
WHERE TRUE
ON CONFLICT (item_id, watch) DO NOTHING
RETURNING id, item_id

-- name: match_event_insert
-- The first event of new matches.
INSERT INTO match_events (match_id, at, who, to_status, why)
SELECT CAST(key AS BIGINT), :now, CAST(:who AS TEXT), 'QUEUED', CAST(:why AS TEXT)
FROM json_each(:match_ids)

-- name: match_search
-- Matches with their items, newest publication first; a page goes on below the last match of the page before.
-- CROSS JOIN: else SQLite sorts all matches instead of walking the items in their order.
SELECT m.id, m.watch, m.item_id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, i.published_at,
       m.status, m.score, m.reason, m.query_key, m.version, m.created_at, m.updated_at, i.data
FROM items i
CROSS JOIN matches m
LEFT JOIN companies c ON c.id = i.company_id
WHERE m.item_id = i.id
  AND i.id = (SELECT item_id FROM matches WHERE id = :id)                     -- if: id
  AND m.id = :id                                                              -- if: id
  AND (i.published_at, m.id) < (SELECT last.published_at, :before_id FROM items last WHERE last.id = (  -- if: before_id
    SELECT item_id FROM matches WHERE id = :before_id))                       -- if: before_id
  AND m.watch = :watch                                                        -- if: watch
  AND m.status = :status                                                      -- if: status
  AND i.source = :source                                                      -- if: source
  AND (lower(i.title) LIKE :text ESCAPE '\' OR lower(c.name) LIKE :text ESCAPE '\'  -- if: text
    OR lower(i.data ->> 'author') LIKE :text ESCAPE '\')                     -- if: text
  AND lower(CAST(i.data AS TEXT)) LIKE :topic ESCAPE '\'                      -- if: topic
ORDER BY i.published_at DESC, m.id DESC
LIMIT :limit

-- name: match_events_of
-- Every status change of one match, oldest first.
SELECT at, who, from_status, to_status, why FROM match_events WHERE match_id = :match_id ORDER BY id

-- name: match_counts
-- How many matches have each status.
SELECT status, count(*) AS n FROM matches GROUP BY status ORDER BY status

-- name: match_without_job
-- Queued matches that have no job, neither unfinished nor failed.
SELECT m.id, i.published_at, i.source
FROM matches m
JOIN items i ON i.id = m.item_id
WHERE m.status = 'QUEUED'
  AND NOT EXISTS (
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status IN ('pending', 'running', 'retryable')
  )
  AND NOT EXISTS (
    SELECT 1 FROM jobs j WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status = 'failed'
  )
ORDER BY m.id
LIMIT :limit
