-- How each source (and whatever else is asked by name, such as the judge) may be asked, shared by all processes,
-- and what is worth telling a person once.

CREATE TABLE sources (
  name TEXT PRIMARY KEY,
  enabled BOOLEAN NOT NULL,
  rate_limit_per_minute BIGINT NOT NULL CHECK (rate_limit_per_minute > 0),
  tokens DOUBLE PRECISION NOT NULL,
  tokens_at {timestamp} NOT NULL,
  requests_total BIGINT NOT NULL DEFAULT 0,
  failure_streak BIGINT NOT NULL DEFAULT 0,
  last_success_at {timestamp},
  last_failure_at {timestamp},
  last_error TEXT,
  paused_until {timestamp},
  pause_reason TEXT,
  probing_until {timestamp},
  outage TEXT CHECK (outage IN ('unavailable', 'rate limited', 'refused')),
  outage_at {timestamp}
);

CREATE TABLE events (
  id {id},
  at {timestamp} NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('outage', 'recovery')),
  source TEXT NOT NULL,
  query_key TEXT,
  message TEXT NOT NULL
);

CREATE INDEX events_by_source ON events (source, query_key, id);
