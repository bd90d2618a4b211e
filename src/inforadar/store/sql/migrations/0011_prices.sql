-- Prices: points of each watch, its one valuation and how that went, and what metals cost.
-- intake_id and source_id are the same by the names that people who bring their own SQL may know.

CREATE TABLE price_points (
  id {id},
  watch TEXT NOT NULL,
  source TEXT NOT NULL,
  dedupe_key TEXT NOT NULL CHECK (dedupe_key <> ''),
  item_key TEXT NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  price_cents BIGINT NOT NULL CHECK (price_cents > 0),
  currency TEXT NOT NULL,
  price_type TEXT NOT NULL CHECK (price_type IN ('sold', 'ask', 'bid')),
  observed_on {date} NOT NULL,
  match_strength DOUBLE PRECISION NOT NULL CHECK (match_strength BETWEEN 0 AND 1),
  why TEXT NOT NULL,
  created_at {timestamp} NOT NULL,
  updated_at {timestamp} NOT NULL,
  intake_id TEXT GENERATED ALWAYS AS (watch) STORED,
  source_id TEXT GENERATED ALWAYS AS (source) STORED,
  UNIQUE (dedupe_key, source, watch)
);

CREATE INDEX price_points_by_item ON price_points (item_key, source, watch, id);

CREATE INDEX price_points_by_watch ON price_points (watch, observed_on);

CREATE TABLE valuations (
  watch TEXT PRIMARY KEY,
  changed_at {timestamp} NOT NULL,
  valued_at {timestamp},
  currency TEXT,
  basis TEXT CHECK (basis IN ('sold', 'ask', 'all')),
  q10_cents BIGINT,
  q25_cents BIGINT,
  q50_cents BIGINT,
  q75_cents BIGINT,
  q90_cents BIGINT,
  points BIGINT NOT NULL DEFAULT 0,
  outliers BIGINT NOT NULL DEFAULT 0,
  melt_cents BIGINT,
  by_type {json},
  left_out {json},
  alerted_cents BIGINT,
  alerted_currency TEXT,
  intake_id TEXT GENERATED ALWAYS AS (watch) STORED
);

CREATE TABLE valuation_history (
  id {id},
  watch TEXT NOT NULL,
  at {timestamp} NOT NULL,
  currency TEXT NOT NULL,
  basis TEXT NOT NULL,
  q10_cents BIGINT NOT NULL,
  q25_cents BIGINT NOT NULL,
  q50_cents BIGINT NOT NULL,
  q75_cents BIGINT NOT NULL,
  q90_cents BIGINT NOT NULL,
  points BIGINT NOT NULL,
  melt_cents BIGINT
);

CREATE INDEX valuation_history_by_watch ON valuation_history (watch, id);

CREATE TABLE metal_prices (
  symbol TEXT PRIMARY KEY,
  ounce_cents BIGINT NOT NULL CHECK (ounce_cents > 0),
  currency TEXT NOT NULL,
  at {timestamp} NOT NULL
);
