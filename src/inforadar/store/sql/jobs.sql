-- name: job_insert
-- Put jobs; one with the unique key of an unfinished job is left out.
INSERT INTO jobs (kind, args, source, unique_key, priority, run_at)
VALUES (:kind, :args, :source, :unique_key, :priority, :run_at)
ON CONFLICT (unique_key) WHERE status IN ('pending', 'running', 'retryable') DO NOTHING

-- name: job_kinds_lock
-- Let nobody else claim jobs of these kinds before this transaction ends; SQLite has one writer anyway.
SELECT key AS kind FROM json_each(:kinds)

-- name: job_running_counts
-- How many jobs of each kind run now.
SELECT kind, count(*) AS n FROM jobs WHERE status = 'running' GROUP BY kind

-- name: job_suspects
-- Whether a claimable job has lost two workers in a row.
SELECT 1 AS one FROM jobs INDEXED BY jobs_suspect
WHERE losses > 0 AND losses >= 2 AND status IN ('pending', 'retryable') AND run_at <= :now
  AND kind IN (SELECT key FROM json_each(:kinds)) AND kind NOT IN (SELECT kind FROM paused_kinds)
  AND (source IS NULL OR source NOT IN (SELECT key FROM json_each(:closed)))    -- if: closed
LIMIT 1

-- name: job_claim
-- Take the first claimable jobs of these kinds, of each kind at most as many as are free; the first claim sets how
-- often the job may be tried.
UPDATE jobs
SET status = 'running', attempts = attempts + 1, locked_by = :worker, locked_at = :now, heartbeat_at = :now,
    max_attempts = CASE WHEN attempts > 0 THEN max_attempts ELSE (
      SELECT CAST(value ->> 'max_attempts' AS BIGINT) FROM json_each(:kinds) WHERE key = jobs.kind
    ) END
WHERE id IN (
  SELECT first.id
  FROM (
    SELECT id, kind, row_number() OVER (PARTITION BY kind ORDER BY priority DESC, id) AS place
    FROM (
      SELECT id, kind, priority FROM jobs INDEXED BY jobs_claimable
      WHERE status IN ('pending', 'retryable') AND run_at <= :now
        AND kind IN (SELECT key FROM json_each(:kinds)) AND kind NOT IN (SELECT kind FROM paused_kinds)
        AND (source IS NULL OR source NOT IN (SELECT key FROM json_each(:closed)))    -- if: closed
        AND losses >= 2    -- if: suspects
        AND (losses < 2 OR kind NOT IN (SELECT key FROM json_each(:isolated)))    -- if: isolated
      ORDER BY priority DESC, id
      LIMIT :n
    )
  ) first
  JOIN json_each(:kinds) k ON k.key = first.kind
  WHERE first.place <= CAST(k.value ->> 'free' AS BIGINT)
)
RETURNING id, kind, args, source, priority, attempts AS attempt, max_attempts, retry_count, losses

-- name: job_settle
-- A running job moves on, if it is still this worker's and this attempt's; finished ones remember their worker.
UPDATE jobs
SET status = :status, run_at = coalesce(:run_at, run_at), completed_at = :completed_at, error_message = :error,
    max_attempts = max_attempts + :more_attempts, retry_count = retry_count + :is_retry,
    losses = CASE WHEN :is_loss = 1 THEN losses + 1 ELSE 0 END,
    locked_by = CASE WHEN :completed_at IS NOT NULL THEN locked_by END,
    locked_at = CASE WHEN :completed_at IS NOT NULL THEN locked_at END,
    heartbeat_at = CASE WHEN :completed_at IS NOT NULL THEN heartbeat_at END
WHERE id = :id AND attempts = :attempt AND status = 'running' AND locked_by = :worker
RETURNING id

-- name: job_succeed
-- Running jobs are done, those that are still this worker's and this attempt's.
UPDATE jobs SET status = 'succeeded', completed_at = :now, error_message = NULL
WHERE id = :id AND attempts = :attempt AND status = 'running' AND locked_by = :worker
RETURNING id

-- name: job_hold
-- Which jobs are still this worker's and this attempt's; they stay so until the transaction ends.
SELECT id FROM jobs WHERE id = :id AND attempts = :attempt AND status = 'running' AND locked_by = :worker

-- name: job_beat
-- Running jobs give a sign of life, those that are still this worker's and this attempt's.
UPDATE jobs SET heartbeat_at = :now
WHERE id = :id AND attempts = :attempt AND status = 'running' AND locked_by = :worker
RETURNING id

-- name: job_mine
-- What runs in the name of one worker.
SELECT id, kind, args, source, priority, attempts AS attempt, max_attempts, retry_count, losses
FROM jobs WHERE status = 'running' AND locked_by = :worker
ORDER BY priority DESC, id

-- name: job_lost
-- Running jobs without a sign of life since a moment, to be reclaimed in this transaction.
SELECT id, kind, args, source, attempts AS attempt, max_attempts, retry_count, losses, locked_by, heartbeat_at
FROM jobs INDEXED BY jobs_running WHERE status = 'running' AND heartbeat_at <= :since
ORDER BY id
LIMIT :n

-- name: job_thaw
-- Jobs whose times a clock wrote that was ahead: those that wait may run at once, those that run are alive now.
UPDATE jobs
SET run_at = CASE WHEN status = 'running' THEN run_at ELSE :now END,
    heartbeat_at = CASE WHEN status = 'running' THEN :now ELSE heartbeat_at END,
    created_at = CASE WHEN created_at > :now THEN :now ELSE created_at END
WHERE id IN (
  SELECT id FROM jobs
  WHERE status IN ('pending', 'retryable') AND run_at > :now AND (run_at > :furthest OR created_at > :ahead)
  UNION ALL
  SELECT id FROM jobs WHERE status = 'running' AND heartbeat_at > :ahead
)
RETURNING id

-- name: job_event_insert
-- Note what happened to jobs.
INSERT INTO job_events (job_id, attempt, at, who, event, message, heartbeat_at)
VALUES (:job_id, :attempt, :at, :who, :event, :message, :heartbeat_at)

-- name: job_events_of
-- What happened to these jobs, oldest first.
SELECT job_id, attempt, at, who, event, message FROM job_events
WHERE job_id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY id

-- name: job_search
-- Jobs, newest first.
SELECT id, kind, args, source, unique_key, priority, status, attempts, max_attempts, retry_count, run_at,
       locked_by, locked_at, heartbeat_at, created_at, completed_at, error_message
FROM jobs
WHERE TRUE
  AND id = :id                                            -- if: id
  AND id < :before_id                                     -- if: before_id
  AND status = :status                                    -- if: status
  AND status = 'failed'                                   -- if: failed
  AND kind = :kind                                        -- if: kind
  AND source = :source                                    -- if: source
  AND status = 'running' AND heartbeat_at <= :stuck_since -- if: stuck_since
ORDER BY id DESC
LIMIT :limit

-- name: job_latest
-- The jobs of some unique keys, newest first: each half has its index.
SELECT id, kind, args, source, unique_key, priority, status, attempts, max_attempts, retry_count, run_at,
       locked_by, locked_at, heartbeat_at, created_at, completed_at, error_message
FROM jobs
WHERE id IN (
  SELECT id FROM jobs
  WHERE unique_key IN (SELECT key FROM json_each(:unique_keys)) AND status IN ('pending', 'running', 'retryable')
  UNION ALL
  SELECT max(id) FROM jobs
  WHERE unique_key IN (SELECT key FROM json_each(:unique_keys)) AND status IN ('succeeded', 'failed')
  GROUP BY unique_key
)
ORDER BY id DESC

-- name: job_counts
-- How many jobs have each status.
SELECT status, count(*) AS n FROM jobs GROUP BY status ORDER BY status

-- name: job_counts_bounded
-- How many jobs have each status, counted no further than the limit, each by its index.
SELECT 'pending' AS status, count(*) AS n FROM (
  SELECT 1 AS one FROM jobs WHERE status IN ('pending', 'retryable') AND status = 'pending' LIMIT :limit) a
UNION ALL SELECT 'retryable', count(*) FROM (
  SELECT 1 AS one FROM jobs WHERE status IN ('pending', 'retryable') AND status = 'retryable' LIMIT :limit) b
UNION ALL SELECT 'running', count(*) FROM (SELECT 1 AS one FROM jobs WHERE status = 'running' LIMIT :limit) c
UNION ALL SELECT 'succeeded', count(*) FROM (
  SELECT 1 AS one FROM jobs WHERE status IN ('succeeded', 'failed') AND status = 'succeeded' LIMIT :limit) d
UNION ALL SELECT 'failed', count(*) FROM (SELECT 1 AS one FROM jobs WHERE status = 'failed' LIMIT :limit) e

-- name: job_cancel
-- End a job that is not finished; a worker that runs it has lost it.
UPDATE jobs SET status = 'failed', completed_at = :now, error_message = :error
WHERE id = :id AND status IN ('pending', 'running', 'retryable')
RETURNING attempts AS attempt

-- name: job_retry_by_hand
-- Let a failed or waiting job run at once, with fresh attempts, unless its work has another unfinished job.
UPDATE jobs
SET status = 'pending', run_at = :now, completed_at = NULL, error_message = NULL, retry_count = 0, losses = 0,
    max_attempts = attempts + :more_attempts, locked_by = NULL, locked_at = NULL, heartbeat_at = NULL
WHERE id = :id AND status IN ('pending', 'retryable', 'failed') AND NOT EXISTS (
  SELECT 1 FROM jobs other
  WHERE other.unique_key = jobs.unique_key AND other.id <> jobs.id
    AND other.status IN ('pending', 'running', 'retryable')
)
RETURNING attempts AS attempt

-- name: job_prune
-- Forget finished jobs and their history, the oldest first.
DELETE FROM jobs WHERE id IN (
  SELECT id FROM jobs WHERE status IN ('succeeded', 'failed') AND completed_at < :before
  ORDER BY completed_at LIMIT :n
)
RETURNING id

-- name: job_wake
-- Let the waiting jobs of a source run at once.
UPDATE jobs SET run_at = :now WHERE source = :source AND status IN ('pending', 'retryable') AND run_at > :now

-- name: job_kind_pause
-- Claim no more jobs of a kind; a second pause keeps the first reason.
INSERT INTO paused_kinds (kind, at, who, reason) VALUES (:kind, :now, :who, :reason)
ON CONFLICT (kind) DO NOTHING

-- name: job_kind_resume
-- Claim jobs of a kind again.
DELETE FROM paused_kinds WHERE kind = :kind

-- name: job_kinds_paused
-- The kinds that are not claimed, and why.
SELECT kind, at, who, reason FROM paused_kinds ORDER BY kind
