-- name: valuation_touch
-- New points of a watch: its valuation is to be made anew. The row is held until the caller's transaction ends.
INSERT INTO valuations (watch, changed_at) VALUES (:watch, :now)
ON CONFLICT (watch) DO UPDATE SET changed_at = excluded.changed_at

-- name: valuation_lock
-- Let nobody else write points of this watch or value it before this transaction ends; SQLite has one writer anyway.
SELECT watch FROM valuations WHERE watch = :watch

-- name: valuation_get
-- The one valuation of a watch.
SELECT watch, changed_at, valued_at, currency, basis, q10_cents, q25_cents, q50_cents, q75_cents, q90_cents, points,
       outliers, melt_cents, by_type, left_out, alerted_cents, alerted_currency
FROM valuations WHERE watch = :watch

-- name: valuation_save
-- What the points of a watch say now.
UPDATE valuations
SET valued_at = :now, currency = :currency, basis = :basis, q10_cents = :q10_cents, q25_cents = :q25_cents,
    q50_cents = :q50_cents, q75_cents = :q75_cents, q90_cents = :q90_cents, points = :points, outliers = :outliers,
    melt_cents = :melt_cents, by_type = :by_type, left_out = :left_out
WHERE watch = :watch

-- name: valuation_alerted
-- The value from which the next movement is counted.
UPDATE valuations SET alerted_cents = :cents, alerted_currency = :currency WHERE watch = :watch

-- name: valuation_watches
-- Every watch that has a valuation.
SELECT watch FROM valuations ORDER BY watch

-- name: valuation_history_add
-- A valuation that differs from the one before it.
INSERT INTO valuation_history (watch, at, currency, basis, q10_cents, q25_cents, q50_cents, q75_cents, q90_cents,
                               points, melt_cents)
VALUES (:watch, :now, :currency, :basis, :q10_cents, :q25_cents, :q50_cents, :q75_cents, :q90_cents,
        :points, :melt_cents)

-- name: valuation_history_of
-- How the valuation of a watch went, newest first.
SELECT at, currency, basis, q10_cents, q25_cents, q50_cents, q75_cents, q90_cents, points, melt_cents
FROM valuation_history
WHERE watch = :watch
ORDER BY id DESC
LIMIT :limit

-- name: metal_price_put
-- What an ounce of a metal costs.
INSERT INTO metal_prices (symbol, ounce_cents, currency, at) VALUES (:symbol, :ounce_cents, :currency, :at)
ON CONFLICT (symbol) DO UPDATE
SET ounce_cents = excluded.ounce_cents, currency = excluded.currency, at = excluded.at

-- name: metal_price_get
-- What an ounce of a metal cost when it was last asked for.
SELECT symbol, ounce_cents, currency, at FROM metal_prices WHERE symbol = :symbol
