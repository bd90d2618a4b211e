-- name: price_point_standing
-- The listings of a source that a watch has among these keys, with their latest points and those they may come back to.
SELECT i.key, p.dedupe_key, p.price_cents, p.currency, p.price_type, p.observed_on,
       p.updated_at AS seen_at
FROM items i
JOIN matches m ON m.item_id = i.id AND m.watch = :watch
LEFT JOIN price_points p ON p.item_key = i.key AND p.source = i.source AND p.watch = m.watch
  AND (p.observed_on >= :today OR p.price_type = 'sold' OR p.id = (
    SELECT last.id FROM price_points last
    WHERE last.item_key = i.key AND last.source = i.source AND last.watch = m.watch
    ORDER BY last.updated_at DESC, last.id DESC
    LIMIT 1
  ))
WHERE i.source = :source AND i.key IN (SELECT key FROM json_each(:keys))
ORDER BY i.key, p.updated_at, p.id

-- name: price_point_take_up
-- A price that a listing has come back to is its latest.
UPDATE price_points SET updated_at = :seen_at
WHERE dedupe_key = :dedupe_key AND source = :source AND watch = :watch AND updated_at < :seen_at

-- name: price_point_save
-- New points; of two with one key the one that fits the watch better stays.
INSERT INTO price_points (watch, source, dedupe_key, item_key, url, title, price_cents, currency, price_type,
                          observed_on, match_strength, why, created_at, updated_at)
VALUES (:watch, :source, :dedupe_key, :item_key, :url, :title, :price_cents, :currency, :price_type,
        :observed_on, :match_strength, :why, :now, :seen_at)
ON CONFLICT (dedupe_key, source, watch) DO UPDATE
SET url = excluded.url, title = excluded.title, price_cents = excluded.price_cents, currency = excluded.currency,
    price_type = excluded.price_type, observed_on = excluded.observed_on, match_strength = excluded.match_strength,
    why = excluded.why, updated_at = excluded.updated_at
WHERE excluded.match_strength > price_points.match_strength

-- name: price_point_search
-- The points of a watch since a day, newest first.
SELECT id, watch, source, dedupe_key, item_key, url, title, price_cents, currency, price_type, observed_on,
       match_strength, why, updated_at AS seen_at
FROM price_points
WHERE watch = :watch
  AND observed_on >= :since                 -- if: since
ORDER BY observed_on DESC, updated_at DESC, id DESC
LIMIT :limit

-- name: price_point_count
-- How many points a watch has.
SELECT count(*) AS n FROM price_points WHERE watch = :watch
