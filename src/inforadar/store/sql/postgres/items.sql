-- name: item_find
-- Items of a source by their keys.
SELECT i.id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, c.key AS company_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.source = :source AND i.key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: item_lock
-- Let nobody else change these items before this transaction ends, in one order for all who ask. NO KEY: whoever moves
-- matches of them, in whatever order, makes PostgreSQL look whether the items are still there, and waits for nobody.
SELECT id FROM items
WHERE source = :source AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))
ORDER BY id
FOR NO KEY UPDATE

-- name: item_hold
-- Let nobody give this item, of which no match is left, another before this transaction ends; whoever does so at this
-- moment is waited for. One with matches is left alone: it stays, and nobody waits for it.
SELECT id FROM items WHERE id = :id AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.item_id = :id)
FOR UPDATE

-- name: item_ids
-- Ids of a source's items by their keys.
SELECT id, key FROM items
WHERE source = :source AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: item_touch
-- Items seen again, unchanged.
UPDATE items SET last_seen_at = :now
WHERE source = :source AND last_seen_at < :now AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: item_insert
-- Save new items; the unique key decides which are new.
INSERT INTO items (source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, group_key,
                   data)
SELECT source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, group_key, data
FROM jsonb_to_recordset(:rows) AS r (
  source TEXT, key TEXT, kind TEXT, url TEXT, title TEXT, company_id BIGINT,
  published_at TIMESTAMPTZ, first_seen_at TIMESTAMPTZ, last_seen_at TIMESTAMPTZ, group_key TEXT, data JSONB
)
ON CONFLICT (source, key) DO NOTHING

-- name: item_update
-- Write merged items over the stored ones; a time of sighting never goes back.
UPDATE items i
SET url = r.url, title = r.title, company_id = coalesce(r.company_id, i.company_id), published_at = r.published_at,
    last_seen_at = CASE WHEN i.last_seen_at > r.last_seen_at THEN i.last_seen_at ELSE r.last_seen_at END,
    data = r.data, group_key = r.group_key
FROM jsonb_to_recordset(:rows) AS r (
  source TEXT, key TEXT, url TEXT, title TEXT, company_id BIGINT,
  published_at TIMESTAMPTZ, last_seen_at TIMESTAMPTZ, group_key TEXT, data JSONB
)
WHERE i.source = r.source AND i.key = r.key
