-- name: group_members
-- Items of these groups, with their matches; of each group no more items than `most`, the newest of every source first.
WITH of_source AS (
  SELECT i.id, i.group_key, i.source, i.url, i.published_at,
         row_number() OVER (PARTITION BY i.group_key, i.source ORDER BY i.published_at DESC, i.id) AS place
  FROM items i
  WHERE i.group_key = ANY (ARRAY(SELECT key FROM json_each(:keys)))
), of_group AS (
  SELECT s.*, count(*) OVER (PARTITION BY s.group_key) AS of_all,
         row_number() OVER (PARTITION BY s.group_key ORDER BY s.place, s.source) AS rank
  FROM of_source s
)
SELECT i.group_key, i.id AS item_id, i.source, i.url, m.id AS match_id, m.watch, m.status, m.sent_at, i.of_all
FROM of_group i
LEFT JOIN matches m ON m.item_id = i.id
WHERE TRUE
  AND i.rank <= :most                                                         -- if: most
ORDER BY i.rank, m.id

-- name: group_of_company
-- What decides on the groups of a company's items, which nobody else changes before this transaction ends. NO KEY:
-- matches of them may be moved meanwhile.
SELECT i.id, i.title, i.data ->> 'place' AS place, i.group_key FROM items i
WHERE i.company_id = :company_id AND i.kind = 'vacancy'
ORDER BY i.id
FOR NO KEY UPDATE

-- name: group_after
-- What decides on the groups of the next items, which nobody else changes before this transaction ends. NO KEY:
-- matches of them may be moved meanwhile.
SELECT i.id, i.title, i.data ->> 'place' AS place, i.group_key, c.name FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.id > :after AND i.kind = 'vacancy'
ORDER BY i.id
LIMIT :most
FOR NO KEY UPDATE OF i

-- name: group_set
-- The group of one item.
UPDATE items i SET group_key = r.group_key
FROM jsonb_to_recordset(:rows) AS r (id BIGINT, group_key TEXT)
WHERE i.id = r.id
