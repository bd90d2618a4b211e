-- name: inbox_count
-- How many matches have one status, counted no further than the limit.
SELECT count(*) AS n FROM (
  SELECT 1 AS one FROM matches
  WHERE status = :status
    AND (later_until IS NULL OR later_until <= :due_at)  -- if: due_at
  LIMIT :limit
) counted

-- name: inbox_count_put_off
-- How many matches are put off, counted no further than the limit.
SELECT count(*) AS n FROM (SELECT 1 AS one FROM matches WHERE later_until > :now LIMIT :limit) counted

-- name: inbox_few
-- The matches that a few narrow down, newest publication first: begins with the matches, and sorts them. CROSS JOIN:
-- else SQLite walks all items in their order to find none.
SELECT m.id, m.item_id, i.published_at
FROM matches m
CROSS JOIN items i
WHERE i.id = m.item_id
  AND m.status = :status                                                      -- if: status
  AND m.later_until > :put_off_at                                             -- if: put_off_at
  AND (m.later_until IS NULL OR m.later_until <= :due_at)                     -- if: due_at
  AND m.watch = :watch                                                        -- if: watch
  AND i.source = :source                                                      -- if: source
  AND m.score >= :min_score                                                   -- if: min_score
  AND i.published_at > :published_after                                       -- if: published_after
  AND ((SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :text ESCAPE '\'  -- if: text
    OR (SELECT t.text FROM item_texts t WHERE t.rowid = i.id) LIKE :latin ESCAPE '\'  -- if: latin
  )                                                                           -- if: text
  AND lower(CAST(i.data AS TEXT)) LIKE :topic ESCAPE '\'                      -- if: topic
  AND (i.published_at, m.id) < (:below_at, :below_id)                         -- if: below_at
ORDER BY i.published_at DESC, m.id DESC
LIMIT :limit

-- name: inbox_skills
-- What judges found in these matches, their newest verdict first.
SELECT match_id, skills FROM analyses
WHERE match_id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY match_id, id DESC

-- name: inbox_versions
-- Where these matches stand.
SELECT id, status, version, later_until FROM matches WHERE id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY id

-- name: inbox_last_event
-- The newest change of a status.
SELECT max(id) AS id FROM match_events

-- name: analysis_recent
-- The newest verdicts, for what is asked for over time.
SELECT at, skills, is_relevant FROM analyses ORDER BY id DESC LIMIT :limit

-- name: inbox_floor
-- The publication of the item so many places further down the list.
SELECT published_at FROM items
WHERE TRUE
  AND published_at <= :below_at                                               -- if: below_at
ORDER BY published_at DESC
LIMIT 1 OFFSET :places
