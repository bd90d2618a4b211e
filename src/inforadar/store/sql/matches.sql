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
-- Matches with their items, newest publication first; a page goes on below the last match of the page before. Upward:
-- the oldest first, from a match on.
-- CROSS JOIN: else SQLite sorts all matches instead of walking the items in their order. The bound on the publication
-- alone lets the index begin at the place instead of walking down to it. CAST: else SQLite looks at all matches of the
-- status for each item; PostgreSQL sees no cast and may begin with the status.
SELECT m.id, m.watch, m.item_id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, i.published_at,
       m.status, m.score, m.reason, m.query_key, m.version, m.recoveries,
       m.later_until, m.sent_at, m.created_at, m.updated_at, m.note, i.group_key, i.data
FROM
  json_each(:item_ids) chosen CROSS JOIN                                      -- if: item_ids
  items i
CROSS JOIN matches m
LEFT JOIN companies c ON c.id = i.company_id
WHERE m.item_id = i.id
  AND i.id = CAST(chosen.key AS BIGINT)                                       -- if: item_ids
  AND i.id = (SELECT item_id FROM matches WHERE id = :id)                     -- if: id
  AND m.id = :id                                                              -- if: id
  AND m.id IN (SELECT CAST(key AS BIGINT) FROM json_each(:match_ids))         -- if: match_ids
  AND (i.published_at, m.id) < (SELECT last.published_at, :before_id FROM items last WHERE last.id = (  -- if: before_id
    SELECT item_id FROM matches WHERE id = :before_id))                       -- if: before_id
  AND i.published_at <= :below_at                                             -- if: below_at
  AND (i.published_at, m.id) < (:below_at, :below_id)                         -- if: below_at
  AND i.published_at >= :from_at                                              -- if: from_at
  AND (i.published_at, m.id) >= (:from_at, :from_id)                          -- if: from_at
  AND m.watch = :watch                                                        -- if: watch
  AND CAST(m.status AS TEXT) = :status                                        -- if: status
  AND m.status IN (SELECT key FROM json_each(:statuses))                      -- if: statuses
  AND m.score >= :min_score                                                   -- if: min_score
  AND m.later_until > :put_off_at                                             -- if: put_off_at
  AND (m.later_until IS NULL OR m.later_until <= :due_at)                     -- if: due_at
  AND i.published_at > :published_after                                       -- if: published_after
  AND i.source = :source                                                      -- if: source
  AND ((SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :text ESCAPE '\'  -- if: text
    OR (SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :latin ESCAPE '\'  -- if: latin
  )                                                                           -- if: text
  AND lower(CAST(i.data AS TEXT)) LIKE :topic ESCAPE '\'                      -- if: topic
  AND (m.query_key IN (SELECT key FROM json_each(:query_keys))                -- if: topics
    OR EXISTS (SELECT 1 FROM json_each(:topics) named WHERE lower(CAST(i.data AS TEXT)) LIKE named.key ESCAPE '\')  -- if: topics
  )                                                                           -- if: topics
ORDER BY i.published_at DESC, m.id DESC                                       -- if: downward
ORDER BY i.published_at, m.id                                                 -- if: upward
LIMIT :limit

-- name: match_places
-- Where matches stand, newest publication first, below a place: so narrow that many of one publication sort quickly.
SELECT m.id, m.item_id, i.published_at
FROM items i
CROSS JOIN matches m
WHERE m.item_id = i.id
  AND i.published_at <= :below_at                                             -- if: below_at
  AND (i.published_at, m.id) < (:below_at, :below_id)                         -- if: below_at
  AND m.watch = :watch                                                        -- if: watch
  AND m.status IN (SELECT key FROM json_each(:statuses))                      -- if: statuses
ORDER BY i.published_at DESC, m.id DESC
LIMIT :limit

-- name: match_count
-- How many matches a search would find, of all or of those that stand at a place or above it.
SELECT count(*) AS n
FROM
  json_each(:item_ids) chosen CROSS JOIN                                      -- if: item_ids
  matches m
JOIN items i ON i.id = m.item_id
WHERE TRUE
  AND m.item_id = CAST(chosen.key AS BIGINT)                                  -- if: item_ids
  AND m.watch = :watch                                                        -- if: watch
  AND m.status IN (SELECT key FROM json_each(:statuses))                      -- if: statuses
  AND (m.later_until IS NULL OR m.later_until <= :due_at)                     -- if: due_at
  AND i.source = :source                                                      -- if: source
  AND ((SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :text ESCAPE '\'  -- if: text
    OR (SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :latin ESCAPE '\'  -- if: latin
  )                                                                           -- if: text
  AND (i.published_at, m.id) >= (:from_at, :from_id)                          -- if: from_at

-- name: match_events_of
-- Every status change of one match, oldest first.
SELECT at, who, from_status, to_status, why, act_id FROM match_events WHERE match_id = :match_id ORDER BY id

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
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status IN ('succeeded', 'failed') AND j.status = 'failed'
  )
ORDER BY m.id
LIMIT :limit

-- name: match_move
-- One match to another status, only from the status it was decided by.
UPDATE matches
SET status = :new, status_at = :now, updated_at = :now, version = version + 1,
    recoveries = recoveries + CASE WHEN :who = 'recovery' THEN 1 ELSE 0 END
WHERE id = :id AND status = :old

-- name: match_event_add
-- What happened to one match, by whom, why, and by which act of the user.
INSERT INTO match_events (match_id, at, who, from_status, to_status, why, act_id, later_before)
VALUES (:match_id, :now, :who, :from_status, :to_status, :why, :act_id, :later_before)

-- name: match_lock
-- Let nobody else move these matches before this transaction ends; SQLite's writing transaction is the lock already.
SELECT m.id, m.status, m.later_until FROM matches m WHERE m.id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY m.id

-- name: match_give_chance_back
-- A chance that recovery gave was not used.
UPDATE matches SET recoveries = recoveries - 1 WHERE id = :id AND recoveries > 0

-- name: match_judge
-- What the judge said of one match.
UPDATE matches SET score = :score, reason = :reason, updated_at = :now, version = version + 1 WHERE id = :id

-- name: match_sent
-- When one match was first sent to the user.
UPDATE matches SET sent_at = coalesce(sent_at, :now) WHERE id = :id

-- name: match_put_off
-- Until when the user does not want to see one match; NULL = not put off.
UPDATE matches SET later_until = :later_until, updated_at = :now, version = version + 1 WHERE id = :id

-- name: match_annotate
-- What the user noted on one match.
UPDATE matches SET note = :note, updated_at = :now, version = version + 1 WHERE id = :id

-- name: match_delete
-- One match with all its history.
DELETE FROM matches WHERE id = :id

-- name: match_skipped
-- Skipped matches, newest publication first, that were skipped since a moment and not recovered too often.
SELECT m.id, m.watch, m.recoveries, m.status_at, i.published_at, i.source
FROM matches m
JOIN items i ON i.id = m.item_id
WHERE m.status = 'SKIPPED' AND m.status_at >= :since AND m.recoveries < :most
  AND m.id NOT IN (SELECT CAST(key AS BIGINT) FROM json_each(:seen))
ORDER BY i.published_at DESC, m.id DESC
LIMIT :limit

-- name: match_given_up
-- Queued matches whose job failed, unless a person cancelled it: nobody works on them any more.
SELECT m.id, i.published_at, i.source
FROM matches m
JOIN items i ON i.id = m.item_id
WHERE m.status = 'QUEUED'
  AND EXISTS (
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status = 'failed'
      AND coalesce(j.error_message, '') NOT LIKE 'cancelled by %'
  )
  AND NOT EXISTS (
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status IN ('pending', 'running', 'retryable')
  )
ORDER BY m.id
LIMIT :limit

-- name: match_new
-- Matches that wait for their first job.
SELECT m.id, i.published_at, i.source
FROM matches m
JOIN items i ON i.id = m.item_id
WHERE m.status = 'NEW'
ORDER BY m.id
LIMIT :limit

-- name: match_of_item
-- The matches of one item.
SELECT id FROM matches WHERE item_id = :item_id ORDER BY id

-- name: match_unchecked
-- Open matches whose items nobody has looked up since a moment, the longest ago first, one match an item. CROSS JOIN and
-- CAST: SQLite walks the items of the time instead of every match that was ever open.
SELECT min(m.id) AS id, i.published_at, i.source
FROM items i
CROSS JOIN matches m
WHERE m.item_id = i.id AND CAST(m.status AS TEXT) IN ('ANALYZED', 'SENT_TO_USER') AND i.kind = 'vacancy'
  AND i.published_at >= :published_since AND (i.looked_at IS NULL OR i.looked_at < :looked_before)
  AND NOT EXISTS (
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'check:' || CAST(m.id AS TEXT) AND j.status IN ('pending', 'running', 'retryable')
  )
GROUP BY i.id, i.published_at, i.source, i.looked_at
ORDER BY coalesce(i.looked_at, i.published_at)
LIMIT :limit

-- name: match_titles
-- What these matches are called.
SELECT m.id, i.title FROM matches m JOIN items i ON i.id = m.item_id
WHERE m.id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY m.id
