-- name: job_insert
-- Put jobs; one with the unique key of an unfinished job is left out. Waiting workers wake up at the commit.
WITH put AS (
  INSERT INTO jobs (kind, args, source, unique_key, priority, run_at)
  SELECT kind, args, source, unique_key, priority, run_at
  FROM jsonb_to_recordset(:rows) AS r (
    kind TEXT, args JSONB, source TEXT, unique_key TEXT, priority BIGINT, run_at TIMESTAMPTZ
  )
  ON CONFLICT (unique_key) WHERE status IN ('pending', 'running', 'retryable') DO NOTHING
  RETURNING id
)
SELECT pg_notify('radar_jobs', '') FROM put

-- name: job_kinds_lock
-- Let nobody else claim jobs of these kinds before this transaction ends.
SELECT kind FROM (
  SELECT key AS kind, pg_advisory_xact_lock(72364, hashtext(key)) FROM (
    SELECT key FROM json_each(:kinds) ORDER BY key
  ) in_order
) locked

-- name: job_suspects
-- Whether a claimable job has lost two workers in a row. CASE and order keep the planner from walking all that waits.
SELECT 1 AS one FROM jobs
WHERE losses >= 2 AND status IN ('pending', 'retryable')
  AND CASE WHEN run_at <= :now
            AND kind = ANY (ARRAY(SELECT key FROM json_each(:kinds)))
            AND kind <> ALL (ARRAY(SELECT kind FROM paused_kinds))
            AND (source IS NULL OR source <> ALL (ARRAY(SELECT key FROM json_each(:closed))))    -- if: closed
      THEN TRUE END
ORDER BY losses
LIMIT 1

-- name: job_claim
-- Take the first claimable jobs of these kinds, of each kind at most as many as are free; the first claim sets how
-- often the job may be tried. Materialized: else the planner may lock and update more rows than the limit. CASE: it
-- would take the kinds for rare, then fetch and sort all that waits instead of walking the index in its order.
WITH first AS MATERIALIZED (
  SELECT id, kind, priority FROM jobs
  WHERE status IN ('pending', 'retryable') AND run_at <= :now
    AND CASE WHEN kind = ANY (ARRAY(SELECT key FROM json_each(:kinds)))
              AND kind <> ALL (ARRAY(SELECT kind FROM paused_kinds))
              AND (source IS NULL OR source <> ALL (ARRAY(SELECT key FROM json_each(:closed))))    -- if: closed
              AND losses >= 2    -- if: suspects
              AND (losses < 2 OR kind <> ALL (ARRAY(SELECT key FROM json_each(:isolated))))    -- if: isolated
        THEN TRUE END
  ORDER BY priority DESC, id
  LIMIT :n
  FOR UPDATE SKIP LOCKED
), placed AS (
  SELECT id, kind, row_number() OVER (PARTITION BY kind ORDER BY priority DESC, id) AS place FROM first
)
UPDATE jobs j
SET status = 'running', attempts = j.attempts + 1, locked_by = :worker, locked_at = :now, heartbeat_at = :now,
    max_attempts = CASE WHEN j.attempts > 0 THEN j.max_attempts ELSE CAST(k.value ->> 'max_attempts' AS BIGINT) END
FROM placed p
JOIN json_each(:kinds) k ON k.key = p.kind
WHERE j.id = p.id AND p.place <= CAST(k.value ->> 'free' AS BIGINT)
RETURNING j.id, j.kind, j.args, j.source, j.priority, j.attempts AS attempt, j.max_attempts, j.retry_count, j.losses

-- name: job_settle
-- Running jobs move on, those that are still their worker's and attempt's; finished ones remember their worker.
UPDATE jobs j
SET status = r.status, run_at = coalesce(r.run_at, j.run_at), completed_at = r.completed_at, error_message = r.error,
    max_attempts = j.max_attempts + r.more_attempts, retry_count = j.retry_count + r.is_retry,
    losses = CASE WHEN r.is_loss = 1 THEN j.losses + 1 ELSE 0 END,
    locked_by = CASE WHEN r.completed_at IS NOT NULL THEN j.locked_by END,
    locked_at = CASE WHEN r.completed_at IS NOT NULL THEN j.locked_at END,
    heartbeat_at = CASE WHEN r.completed_at IS NOT NULL THEN j.heartbeat_at END
FROM jsonb_to_recordset(:rows) AS r (
  id BIGINT, attempt BIGINT, worker TEXT, status TEXT, run_at TIMESTAMPTZ, completed_at TIMESTAMPTZ, error TEXT,
  more_attempts BIGINT, is_retry BIGINT, is_loss BIGINT
)
WHERE j.id = r.id AND j.attempts = r.attempt AND j.status = 'running' AND j.locked_by = r.worker
RETURNING j.id

-- name: job_succeed
-- Running jobs are done, those that are still this worker's and this attempt's.
UPDATE jobs j SET status = 'succeeded', completed_at = r.now, error_message = NULL
FROM jsonb_to_recordset(:rows) AS r (id BIGINT, attempt BIGINT, worker TEXT, now TIMESTAMPTZ)
WHERE j.id = r.id AND j.attempts = r.attempt AND j.status = 'running' AND j.locked_by = r.worker
RETURNING j.id

-- name: job_hold
-- Which jobs are still this worker's and this attempt's; they stay so until the transaction ends.
SELECT j.id FROM jobs j
JOIN jsonb_to_recordset(:rows) AS r (id BIGINT, attempt BIGINT, worker TEXT) ON j.id = r.id
WHERE j.attempts = r.attempt AND j.status = 'running' AND j.locked_by = r.worker
ORDER BY j.id
FOR UPDATE OF j

-- name: job_beat
-- Running jobs give a sign of life, those that are still this worker's and this attempt's. One that is being settled
-- at this moment counts as ours and is left alone: whoever gives signs of life waits for nobody, so that two can
-- never wait for each other. SKIP LOCKED alone does not promise that: when the change it found under way ends at this
-- very moment, PostgreSQL waits for the next one. Such a wait is given up before it could count as a deadlock, of
-- which the settlement might be the victim; the next sign of life comes soon.
WITH impatience AS MATERIALIZED (
  SELECT set_config('lock_timeout', '200ms', true)
), ours AS MATERIALIZED (
  SELECT j.id, j.attempts, j.locked_by, r.now FROM impatience, jobs j
  JOIN jsonb_to_recordset(:rows) AS r (id BIGINT, attempt BIGINT, worker TEXT, now TIMESTAMPTZ) ON j.id = r.id
  WHERE j.attempts = r.attempt AND j.status = 'running' AND j.locked_by = r.worker
), free AS MATERIALIZED (
  SELECT j.id, ours.now FROM jobs j JOIN ours ON ours.id = j.id
  WHERE j.attempts = ours.attempts AND j.status = 'running' AND j.locked_by = ours.locked_by
  FOR UPDATE OF j SKIP LOCKED
), beaten AS (
  UPDATE jobs j SET heartbeat_at = free.now FROM free WHERE j.id = free.id
)
SELECT id FROM ours

-- name: job_lost
-- Running jobs without a sign of life since a moment, to be reclaimed in this transaction; what another process
-- settles or reclaims at this moment is left to it.
SELECT id, kind, args, source, attempts AS attempt, max_attempts, retry_count, losses, locked_by, heartbeat_at
FROM jobs WHERE status = 'running' AND heartbeat_at <= :since
ORDER BY id
LIMIT :n
FOR UPDATE SKIP LOCKED

-- name: job_thaw
-- Jobs whose times a clock wrote that was ahead: those that wait may run at once, those that run are alive now.
WITH waiting AS MATERIALIZED (
  SELECT id FROM jobs
  WHERE status IN ('pending', 'retryable') AND run_at > :now AND (run_at > :furthest OR created_at > :ahead)
  FOR UPDATE SKIP LOCKED
), running AS MATERIALIZED (
  SELECT id FROM jobs WHERE status = 'running' AND heartbeat_at > :ahead
  FOR UPDATE SKIP LOCKED
)
UPDATE jobs j
SET run_at = CASE WHEN status = 'running' THEN run_at ELSE :now END,
    heartbeat_at = CASE WHEN status = 'running' THEN :now ELSE heartbeat_at END,
    created_at = CASE WHEN created_at > :now THEN :now ELSE created_at END
WHERE j.id IN (SELECT id FROM waiting UNION ALL SELECT id FROM running)
RETURNING j.id

-- name: job_event_insert
-- Note what happened to jobs.
INSERT INTO job_events (job_id, attempt, at, who, event, message, heartbeat_at)
SELECT job_id, attempt, at, who, event, message, heartbeat_at
FROM jsonb_to_recordset(:rows) AS r (
  job_id BIGINT, attempt BIGINT, at TIMESTAMPTZ, who TEXT, event TEXT, message TEXT, heartbeat_at TIMESTAMPTZ
)
