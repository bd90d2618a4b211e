-- name: item_find
-- Items of a source by their keys.
SELECT i.id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, c.key AS company_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.source = :source AND i.key IN (SELECT key FROM json_each(:keys))

-- name: item_lock
-- Let nobody else change these items before this transaction ends; SQLite's writing transaction is the lock already.
SELECT 1 AS locked WHERE :source IS NULL AND :keys IS NULL

-- name: item_hold
-- Let nobody give this item another match before this transaction ends; SQLite's writing transaction is the lock already.
SELECT 1 AS held WHERE :id IS NULL

-- name: item_get
-- One item by its id or by its url.
SELECT i.id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, c.key AS company_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE TRUE
  AND i.id = :id                   -- if: id
  AND i.url = :url                 -- if: url
ORDER BY i.id

-- name: item_of_watch
-- The items of the next matches of a watch.
SELECT m.id AS match_id, i.id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, c.key AS company_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM matches m
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE m.watch = :watch AND m.id > :after
ORDER BY m.id
LIMIT :limit

-- name: item_ids
-- Ids of a source's items by their keys.
SELECT id, key FROM items
WHERE source = :source AND key IN (SELECT key FROM json_each(:keys))

-- name: item_insert
-- Save new items; the unique key decides which are new.
INSERT INTO items (source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, group_key,
                   data)
VALUES (:source, :key, :kind, :url, :title, :company_id, :published_at, :first_seen_at, :last_seen_at, :group_key,
        :data)
ON CONFLICT (source, key) DO NOTHING

-- name: item_update
-- Write merged items over the stored ones; a time of sighting never goes back.
UPDATE items
SET url = :url, title = :title, company_id = coalesce(:company_id, company_id), published_at = :published_at,
    last_seen_at = CASE WHEN last_seen_at > :last_seen_at THEN last_seen_at ELSE :last_seen_at END,
    data = :data, group_key = :group_key
WHERE source = :source AND key = :key

-- name: item_touch
-- Items seen again, unchanged.
UPDATE items SET last_seen_at = :now
WHERE source = :source AND last_seen_at < :now AND key IN (SELECT key FROM json_each(:keys))

-- name: item_count
-- How many items we hold.
SELECT count(*) AS n FROM items

-- name: item_check
-- When the item's own page was last looked up, and since when it is said to be gone.
UPDATE items SET checked_at = :now, gone_seen_at = :gone_seen_at WHERE id = :id

-- name: item_open_again
-- An item that was closed is there.
UPDATE items SET closed_at = NULL WHERE id = :id AND closed_at IS NOT NULL

-- name: item_close
-- The closing of these items is confirmed; one that is closed stays so since when it was.
UPDATE items SET closed_at = :now
WHERE closed_at IS NULL AND id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))

-- name: item_closed
-- Which of these items of a source are closed.
SELECT id FROM items
WHERE source = :source AND closed_at IS NOT NULL AND key IN (SELECT key FROM json_each(:keys))

-- name: item_look
-- When the item's own page was last asked for, whatever it said.
UPDATE items SET looked_at = :now WHERE id = :id

-- name: item_checked
-- When the item's own page was last looked up, since when it is said to be gone, and when that was confirmed.
SELECT checked_at, gone_seen_at, closed_at FROM items WHERE id = :id

-- name: item_forget_changes
-- The history of an item that no match is left of.
DELETE FROM item_changes WHERE item_id = :id AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.item_id = :id)

-- name: item_forget
-- An item that no match is left of.
DELETE FROM items WHERE id = :id AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.item_id = :id)

-- name: item_absent
-- Items of one list, open or with matches in work or in the inbox, that it does not show any more.
SELECT i.id, i.gone_seen_at FROM items i
WHERE i.source = :source AND substr(i.key, 1, :length) = :prefix
  AND i.key NOT IN (SELECT key FROM json_each(:keys))
  AND (i.closed_at IS NULL OR EXISTS (
    SELECT 1 FROM matches m WHERE m.item_id = i.id AND m.status IN ('QUEUED', 'ANALYZED', 'SENT_TO_USER')
  ))
ORDER BY i.id

-- name: item_shown_again
-- A list shows items that were said to be gone.
UPDATE items SET gone_seen_at = NULL, closed_at = NULL
WHERE source = :source AND (gone_seen_at IS NOT NULL OR closed_at IS NOT NULL) AND key IN (SELECT key FROM json_each(:keys))

-- name: item_shown_whole
-- A list shows all of these items that their own pages could tell.
UPDATE items SET checked_at = :now WHERE source = :source AND key IN (SELECT key FROM json_each(:keys))

-- name: item_missed
-- A complete list did not show these items, for the first time.
UPDATE items SET gone_seen_at = :now
WHERE (gone_seen_at IS NULL OR gone_seen_at > :now) AND id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
