-- name: total_add
-- Count something for good.
INSERT INTO totals (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = totals.value + excluded.value

-- name: total_all
-- Everything that is counted for good.
SELECT name, value FROM totals ORDER BY name
