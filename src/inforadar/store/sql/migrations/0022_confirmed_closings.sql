-- When the closing of an item was confirmed, whatever anybody decided on it: until then an opening is open.

ALTER TABLE items ADD COLUMN closed_at {timestamp};

UPDATE items
SET closed_at = (SELECT max(m.updated_at) FROM matches m WHERE m.item_id = items.id AND m.status = 'IN_ARCHIVE')
WHERE EXISTS (SELECT 1 FROM matches m WHERE m.item_id = items.id AND m.status = 'IN_ARCHIVE');

INSERT INTO stale_companies (run_id, company_id)
SELECT DISTINCT 0, company_id FROM items
WHERE kind = 'vacancy' AND company_id IS NOT NULL AND gone_seen_at IS NOT NULL AND closed_at IS NULL
ON CONFLICT (run_id, company_id) DO NOTHING;

DROP VIEW offers;

CREATE VIEW offers AS
SELECT i.id, i.source AS client, i.key AS offer_id, i.url, i.title, i.company_id, c.name AS company_name,
       i.data ->> 'place' AS place, i.closed_at IS NULL AS is_open, i.closed_at,
       i.group_key,
       (SELECT count(*) FROM items o WHERE o.group_key = i.group_key AND o.source = i.source AND o.id <> i.id)
         AS reposts,
       (SELECT count(DISTINCT o.source) FROM items o WHERE o.group_key = i.group_key AND o.source <> i.source)
         AS other_clients,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.kind = 'vacancy';
