-- name: text_add
-- The texts of new items.
INSERT OR IGNORE INTO item_texts (rowid, text) VALUES (:id, :text)

-- name: text_put
-- The texts of items, over the old ones.
INSERT OR REPLACE INTO item_texts (rowid, text) VALUES (:id, :text)

-- name: text_find
-- Items whose texts have all of these grams, no more than the limit.
SELECT rowid AS id FROM item_texts WHERE item_texts MATCH :matching LIMIT :limit

-- name: text_forget
-- The text of one item.
DELETE FROM item_texts WHERE rowid = :id

-- name: text_parts
-- What the texts of these items are made of, and how they are written now.
SELECT i.id, i.title, c.name AS company, i.data, t.text
FROM json_each(:ids) k
JOIN items i ON i.id = CAST(k.key AS BIGINT)
LEFT JOIN companies c ON c.id = i.company_id
LEFT JOIN item_texts t ON t.rowid = i.id
ORDER BY i.id

-- name: text_parts_behind
-- What the texts of the items behind an id are made of.
SELECT i.id, i.title, c.name AS company, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.id > :after_id
ORDER BY i.id
LIMIT :limit

-- name: text_parts_of_company
-- What the texts of a company's items behind an id are made of.
SELECT i.id, i.title, c.name AS company, i.data
FROM items i
JOIN companies c ON c.id = i.company_id
WHERE i.company_id = :company_id AND i.id > :after_id
ORDER BY i.id
LIMIT :limit
