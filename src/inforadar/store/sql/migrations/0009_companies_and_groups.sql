-- What is counted of each company, and which items are one job; both are filled in by the first `aggregate` job.

ALTER TABLE items ADD COLUMN group_key TEXT;

CREATE INDEX items_by_group ON items (group_key) WHERE group_key IS NOT NULL;

CREATE INDEX items_by_company ON items (company_id) WHERE company_id IS NOT NULL;

ALTER TABLE companies ADD COLUMN name_key TEXT;

ALTER TABLE companies ADD COLUMN offers_seen BIGINT NOT NULL DEFAULT 0;

ALTER TABLE companies ADD COLUMN offers_open BIGINT NOT NULL DEFAULT 0;

ALTER TABLE companies ADD COLUMN reposts BIGINT NOT NULL DEFAULT 0;

ALTER TABLE companies ADD COLUMN first_seen_at {timestamp};

ALTER TABLE companies ADD COLUMN last_seen_at {timestamp};

ALTER TABLE companies ADD COLUMN aggregated_at {timestamp};

CREATE INDEX companies_by_name ON companies (name_key);

CREATE TABLE stale_companies (
  run_id BIGINT NOT NULL,
  company_id BIGINT NOT NULL REFERENCES companies (id) ON DELETE CASCADE,
  PRIMARY KEY (run_id, company_id)
);

INSERT INTO stale_companies (run_id, company_id) SELECT 0, id FROM companies;

INSERT INTO jobs (kind, args, unique_key, priority, run_at)
SELECT 'aggregate', CAST('{"run_id": 0}' AS {json}), 'aggregate:0', 100000000000, {now}
WHERE EXISTS (SELECT 1 FROM companies);

DROP VIEW offers;

CREATE VIEW offers AS
SELECT i.id, i.source AS client, i.key AS offer_id, i.url, i.title, i.company_id, c.name AS company_name,
       i.data ->> 'place' AS place,
       i.gone_seen_at IS NULL AND NOT EXISTS (
         SELECT 1 FROM matches m WHERE m.item_id = i.id AND m.status = 'IN_ARCHIVE'
       ) AS is_open,
       i.group_key,
       (SELECT count(*) FROM items o WHERE o.group_key = i.group_key AND o.source = i.source AND o.id <> i.id)
         AS reposts,
       (SELECT count(DISTINCT o.source) FROM items o WHERE o.group_key = i.group_key AND o.source <> i.source)
         AS other_clients,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.kind = 'vacancy';
