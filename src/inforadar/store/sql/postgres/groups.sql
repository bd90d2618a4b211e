-- name: group_members
-- All items of these groups, with their matches.
SELECT i.group_key, i.id AS item_id, i.source, i.url, m.id AS match_id, m.watch, m.status, m.sent_at
FROM items i
LEFT JOIN matches m ON m.item_id = i.id
WHERE i.group_key = ANY (ARRAY(SELECT key FROM json_each(:keys)))
ORDER BY i.source, i.published_at DESC, i.id, m.id

-- name: group_of_company
-- What decides on the groups of a company's items, which nobody else changes before this transaction ends.
SELECT i.id, i.title, i.data ->> 'place' AS place, i.group_key FROM items i
WHERE i.company_id = :company_id AND i.kind = 'vacancy'
ORDER BY i.id
FOR UPDATE

-- name: group_set
-- The group of one item.
UPDATE items i SET group_key = r.group_key
FROM jsonb_to_recordset(:rows) AS r (id BIGINT, group_key TEXT)
WHERE i.id = r.id
