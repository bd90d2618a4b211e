-- name: run_start
-- A run begins.
INSERT INTO ingestion_runs (query_key, watch, source, status, started_at)
VALUES (:query_key, :watch, :source, 'RUNNING', :now)
RETURNING id

-- name: run_add
-- Add what one page did to the run's counters.
UPDATE ingestion_runs
SET pages_fetched = pages_fetched + :pages, requests_count = requests_count + :requests,
    items_fetched = items_fetched + :seen, items_unseen = items_unseen + :unseen,
    items_known = items_known + :known, items_added = items_added + :added,
    items_updated = items_updated + :updated, items_filtered = items_filtered + :filtered,
    errors_count = errors_count + :errors, http_429_count = http_429_count + :http_429
WHERE id = :run_id

-- name: run_finish
-- A run ended, well or not.
UPDATE ingestion_runs
SET status = :status, stop_reason = :stop_reason, finished_at = :now, left_count = :left_count,
    notes = :notes, warnings = :warnings
WHERE id = :run_id

-- name: run_clean_up
-- Runs of a process that died.
UPDATE ingestion_runs SET status = 'ERROR', stop_reason = :stop_reason, finished_at = :now
WHERE status = 'RUNNING'
  AND source = :source                   -- if: source

-- name: run_recent
-- The latest runs, newest first.
SELECT id, query_key, watch, source, status, stop_reason, started_at, finished_at, pages_fetched, requests_count,
       items_fetched, items_unseen, items_known, items_added, items_updated, items_filtered, errors_count,
       http_429_count, companies_aggregated, companies_failed, left_count, notes, warnings
FROM ingestion_runs
WHERE TRUE
  AND query_key = :query_key             -- if: query_key
  AND watch = :watch                     -- if: watch
  AND started_at <= :started_by          -- if: started_by
ORDER BY id DESC
LIMIT :limit

-- name: run_latest_warnings
-- What the latest finished run of each query noted.
SELECT r.watch, r.query_key, r.warnings
FROM query_state q
JOIN ingestion_runs r ON r.id = (
  SELECT max(latest.id) FROM ingestion_runs latest
  WHERE latest.query_key = q.query_key AND latest.watch = q.watch AND latest.status <> 'RUNNING'
)

-- name: run_old
-- Runs that ended and began before a moment, the oldest first, but not the newest of their query.
SELECT r.id FROM ingestion_runs r
WHERE r.started_at < :before AND r.status <> 'RUNNING' AND :kept <= (
  SELECT count(*) FROM (
    SELECT 1 AS one FROM ingestion_runs newer
    WHERE newer.query_key = r.query_key AND newer.watch = r.watch AND newer.id > r.id
    LIMIT :kept
  ) AS newest
)
ORDER BY r.started_at
LIMIT :n

-- name: run_unlink_changes
-- Changes stay when the run that found them is forgotten.
UPDATE item_changes SET run_id = NULL WHERE run_id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))

-- name: run_forget
-- Forget runs.
DELETE FROM ingestion_runs WHERE id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))

-- name: run_count_company
-- One more company was counted for a run, or could not be.
UPDATE ingestion_runs
SET companies_aggregated = companies_aggregated + :aggregated, companies_failed = companies_failed + :failed
WHERE id = :run_id
