-- name: job_insert
-- Put jobs; one with the unique key of an unfinished job is left out.
INSERT INTO jobs (kind, args, unique_key, priority, run_at)
SELECT kind, args, unique_key, priority, run_at
FROM jsonb_to_recordset(:rows) AS r (
  kind TEXT, args JSONB, unique_key TEXT, priority BIGINT, run_at TIMESTAMPTZ
)
ON CONFLICT (unique_key) WHERE status IN ('pending', 'running', 'retryable') DO NOTHING
