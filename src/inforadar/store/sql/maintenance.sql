-- name: check_double_items
-- Invariant I1: one row per source and key.
SELECT source, key, count(*) AS n FROM items GROUP BY source, key HAVING count(*) > 1

-- name: check_items_without_match
-- Invariant I3: no item that no watch deals with; a tombstone says why a match was deleted.
SELECT i.id FROM items i
WHERE NOT EXISTS (SELECT 1 FROM matches m WHERE m.item_id = i.id)
  AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.source = i.source AND t.key = i.key)

-- name: check_matches_without_job
-- Invariant I3: every match that waits for work has an unfinished job that names it.
SELECT m.id FROM matches m
WHERE m.status = 'QUEUED' AND NOT EXISTS (
  SELECT 1 FROM jobs j
  WHERE j.unique_key = 'process:' || CAST(m.id AS TEXT) AND j.status IN ('pending', 'running', 'retryable')
)

-- name: check_integrity
-- SQLite's own look at the file: one row `ok`, or what is wrong.
PRAGMA integrity_check

-- name: check_foreign_keys
-- Rows whose partner is missing.
PRAGMA foreign_key_check
