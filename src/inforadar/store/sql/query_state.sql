-- name: query_state_ensure
-- The row of a query exists and says what the query is now; its history stays.
INSERT INTO query_state (query_key, watch, source, params, created_at, updated_at)
VALUES (:query_key, :watch, :source, :params, :now, :now)
ON CONFLICT (watch, query_key) DO UPDATE
SET params = excluded.params, updated_at = excluded.updated_at
WHERE query_state.params <> excluded.params

-- name: query_state_search
-- Query states, by watch.
SELECT query_key, watch, source, params, status, sweeps, last_run_at, last_success_at, last_error_at, last_error,
       last_processed_date, consecutive_failures, coverage, metadata
FROM query_state
WHERE TRUE
  AND watch = :watch                     -- if: watch
  AND query_key = :query_key             -- if: query_key
ORDER BY watch, source, query_key

-- name: query_state_start
-- A sweep begins.
UPDATE query_state SET status = 'RUNNING', sweeps = sweeps + 1, last_run_at = :now, updated_at = :now
WHERE watch = :watch AND query_key = :query_key
RETURNING query_key, watch, source, params, status, sweeps, last_run_at, last_success_at, last_error_at, last_error,
          last_processed_date, consecutive_failures, coverage, metadata

-- name: query_state_succeed
-- A sweep ended well; without a processed date the old one stays.
UPDATE query_state
SET status = 'SUCCESS', last_success_at = :now, last_error = NULL, consecutive_failures = 0, updated_at = :now
  , last_processed_date = :last_processed_date  -- if: last_processed_date
WHERE watch = :watch AND query_key = :query_key

-- name: query_state_fail
-- A sweep failed.
UPDATE query_state
SET status = 'ERROR', last_error_at = :now, last_error = :error,
    consecutive_failures = consecutive_failures + 1, updated_at = :now
WHERE watch = :watch AND query_key = :query_key

-- name: query_state_save_coverage
-- What is completely collected now; where nothing is, the day that was reached before stays.
UPDATE query_state SET coverage = :coverage
  , last_processed_date = :last_processed_date  -- if: last_processed_date
WHERE watch = :watch AND query_key = :query_key

-- name: query_state_clean_up
-- Sweeps of a process that died.
UPDATE query_state SET status = 'ERROR', last_error_at = :now, last_error = 'interrupted', updated_at = :now
WHERE status = 'RUNNING'
  AND source = :source                   -- if: source

-- name: query_state_save_metadata
-- What else is remembered of a query.
UPDATE query_state SET metadata = :metadata WHERE watch = :watch AND query_key = :query_key

-- name: query_state_lasting
-- What the query that read a list last remembers.
SELECT metadata FROM query_state
WHERE source = :source AND metadata ->> 'lasting_of' = :list_of
ORDER BY CAST(metadata ->> 'lasting_turn' AS BIGINT) DESC
LIMIT 1

-- name: query_state_first_asked
-- When a query was asked for the first time.
SELECT created_at FROM query_state WHERE watch = :watch AND query_key = :query_key
