-- Jobs that workers claim, with the limits of their attempts, their source, their history, and paused kinds.
-- The table is made anew: busy_table stands for each database's settings for a table whose rows change all the time.

DROP VIEW scrape_jobs;

ALTER TABLE jobs RENAME TO old_jobs;

CREATE TABLE jobs (
  id {id},
  kind TEXT NOT NULL,
  args {json} NOT NULL,
  source TEXT,
  unique_key TEXT,
  priority BIGINT NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'retryable', 'succeeded', 'failed')),
  attempts BIGINT NOT NULL DEFAULT 0,
  max_attempts BIGINT NOT NULL DEFAULT 5,
  retry_count BIGINT NOT NULL DEFAULT 0,
  losses BIGINT NOT NULL DEFAULT 0,
  run_at {timestamp} NOT NULL,
  locked_by TEXT,
  locked_at {timestamp},
  heartbeat_at {timestamp},
  created_at {timestamp} NOT NULL DEFAULT {now},
  completed_at {timestamp},
  error_message TEXT,
  CHECK (attempts <= max_attempts),
  CHECK (status <> 'running' OR (locked_by IS NOT NULL AND locked_at IS NOT NULL AND heartbeat_at IS NOT NULL))
) {busy_table};

INSERT INTO jobs (kind, args, unique_key, priority, run_at, created_at)
SELECT kind, args, unique_key, priority, run_at, created_at FROM old_jobs ORDER BY id;

DROP TABLE old_jobs;

CREATE UNIQUE INDEX jobs_unfinished_once ON jobs (unique_key) WHERE status IN ('pending', 'running', 'retryable');

CREATE INDEX jobs_claimable ON jobs (priority DESC, id, run_at, kind) WHERE status IN ('pending', 'retryable');

CREATE INDEX jobs_suspect ON jobs (losses) WHERE losses > 0 AND status IN ('pending', 'retryable');

CREATE INDEX jobs_running ON jobs (locked_by, kind) WHERE status = 'running';

CREATE INDEX jobs_finished ON jobs (completed_at) WHERE status IN ('succeeded', 'failed');

CREATE TABLE job_events (
  id {id},
  job_id BIGINT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  attempt BIGINT NOT NULL,
  at {timestamp} NOT NULL,
  who TEXT NOT NULL,
  event TEXT NOT NULL CHECK (event IN ('retry', 'failure', 'loss', 'cancel', 'retry by hand')),
  message TEXT NOT NULL,
  heartbeat_at {timestamp}
);

CREATE INDEX job_events_by_job ON job_events (job_id);

CREATE TABLE paused_kinds (
  kind TEXT PRIMARY KEY,
  at {timestamp} NOT NULL,
  who TEXT NOT NULL,
  reason TEXT NOT NULL
);

CREATE VIEW scrape_jobs AS
SELECT id, kind, source AS source_id, args AS query_params, status, priority, attempts, max_attempts, retry_count,
       CASE WHEN status = 'retryable' THEN run_at END AS next_retry_at, run_at,
       locked_by, locked_at, heartbeat_at, created_at, completed_at, error_message
FROM jobs;
