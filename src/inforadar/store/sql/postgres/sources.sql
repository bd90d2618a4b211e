-- name: source_lock
-- One source, to be changed in this transaction by nobody else.
SELECT name, enabled, rate_limit_per_minute, tokens, tokens_at, requests_total, failure_streak, last_success_at,
       last_failure_at, last_error, paused_until, pause_reason, probing_until, outage, outage_at
FROM sources
WHERE name = :name
FOR UPDATE
