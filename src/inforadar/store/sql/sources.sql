-- name: source_register
-- The row of a source exists and says what the configuration says; how it has answered stays.
INSERT INTO sources (name, enabled, rate_limit_per_minute, tokens, tokens_at)
VALUES (:name, :enabled, :rate_limit_per_minute, :tokens, :tokens_at)
ON CONFLICT (name) DO UPDATE
SET enabled = excluded.enabled, rate_limit_per_minute = excluded.rate_limit_per_minute
WHERE sources.enabled <> excluded.enabled OR sources.rate_limit_per_minute <> excluded.rate_limit_per_minute

-- name: source_search
-- Sources, by name.
SELECT name, enabled, rate_limit_per_minute, tokens, tokens_at, requests_total, failure_streak, last_success_at,
       last_failure_at, last_error, paused_until, pause_reason, probing_until, outage, outage_at
FROM sources
WHERE TRUE
  AND name = :name                       -- if: name
ORDER BY name

-- name: source_lock
-- One source, to be changed in this transaction by nobody else.
SELECT name, enabled, rate_limit_per_minute, tokens, tokens_at, requests_total, failure_streak, last_success_at,
       last_failure_at, last_error, paused_until, pause_reason, probing_until, outage, outage_at
FROM sources
WHERE name = :name

-- name: source_admit
-- One request is let through.
UPDATE sources
SET tokens = :tokens, tokens_at = :tokens_at, probing_until = :probing_until, requests_total = requests_total + 1
WHERE name = :name

-- name: source_save_health
-- How a source has answered.
UPDATE sources
SET failure_streak = :failure_streak, last_success_at = :last_success_at, last_failure_at = :last_failure_at,
    last_error = :last_error, paused_until = :paused_until, pause_reason = :pause_reason,
    probing_until = :probing_until, outage = :outage, outage_at = :outage_at
WHERE name = :name

-- name: source_refill
-- The bucket of a source, counted anew by a clock that went back.
UPDATE sources SET tokens = :tokens, tokens_at = :tokens_at WHERE name = :name
