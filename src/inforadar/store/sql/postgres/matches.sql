-- name: match_known
-- Which of these keys the watch has dealt with: it has a match or a tombstone.
SELECT key FROM items
WHERE id = ANY (ARRAY(
  SELECT item_id FROM (
    -- OFFSET 0 keeps the planner from walking all matches of the watch instead.
    SELECT item_id, watch FROM matches WHERE item_id = ANY (ARRAY(
      SELECT id FROM items WHERE source = :source AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))
    )) OFFSET 0
  ) of_any_watch WHERE watch = :watch
))
UNION
SELECT key FROM tombstones
WHERE source = :source AND watch = :watch AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: match_lock
-- Let nobody else move these matches before this transaction ends, in one order for all who ask.
SELECT m.id, m.status, m.later_until FROM matches m
WHERE m.id = ANY (ARRAY(SELECT CAST(key AS BIGINT) FROM json_each(:ids)))
ORDER BY m.id
FOR UPDATE
