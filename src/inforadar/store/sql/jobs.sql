-- name: job_insert
-- Put jobs; one with the unique key of an unfinished job is left out.
INSERT INTO jobs (kind, args, unique_key, priority, run_at)
VALUES (:kind, :args, :unique_key, :priority, :run_at)
ON CONFLICT (unique_key) WHERE status IN ('pending', 'running', 'retryable') DO NOTHING

-- name: job_counts
-- How many jobs have each status.
SELECT status, count(*) AS n FROM jobs GROUP BY status ORDER BY status
