-- name: price_point_save
-- New points, in one order for all who write; of two with one key the one that fits the watch better stays.
INSERT INTO price_points (watch, source, dedupe_key, item_key, url, title, price_cents, currency, price_type,
                          observed_on, match_strength, why, created_at, updated_at)
SELECT DISTINCT ON (dedupe_key, source, watch)
       watch, source, dedupe_key, item_key, url, title, price_cents, currency, price_type,
       observed_on, match_strength, why, now, seen_at
FROM jsonb_to_recordset(:rows) AS r (
  watch TEXT, source TEXT, dedupe_key TEXT, item_key TEXT, url TEXT, title TEXT, price_cents BIGINT, currency TEXT,
  price_type TEXT, observed_on DATE, match_strength DOUBLE PRECISION, why TEXT, now TIMESTAMPTZ,
  seen_at TIMESTAMPTZ
)
ORDER BY dedupe_key, source, watch, match_strength DESC
ON CONFLICT (dedupe_key, source, watch) DO UPDATE
SET url = excluded.url, title = excluded.title, price_cents = excluded.price_cents, currency = excluded.currency,
    price_type = excluded.price_type, observed_on = excluded.observed_on, match_strength = excluded.match_strength,
    why = excluded.why, updated_at = excluded.updated_at
WHERE excluded.match_strength > price_points.match_strength
