-- name: company_find
-- Companies of a source by their keys.
SELECT id, key, name FROM companies
WHERE source = :source AND key IN (SELECT key FROM json_each(:keys))

-- name: company_insert
-- Save new companies; one that another process has just saved is left as it is.
INSERT INTO companies (source, key, name, name_key, created_at, updated_at)
VALUES (:source, :key, :name, :name_key, :now, :now)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key

-- name: company_rename
-- The source shows another name for the same company.
UPDATE companies SET name = :name, updated_at = :now WHERE id = :id

-- name: company_stale
-- The companies of the vacancies a page shows are to be counted anew for its run.
INSERT INTO stale_companies (run_id, company_id)
SELECT DISTINCT CAST(:run_id AS BIGINT), company_id FROM items
WHERE source = :source AND kind = 'vacancy' AND company_id IS NOT NULL AND key IN (SELECT key FROM json_each(:keys))
ON CONFLICT (run_id, company_id) DO NOTHING

-- name: company_stale_of_items
-- The companies of items that were closed or opened again are to be counted anew, for no run.
INSERT INTO stale_companies (run_id, company_id)
SELECT DISTINCT 0, company_id FROM items
WHERE id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids)) AND kind = 'vacancy' AND company_id IS NOT NULL
ORDER BY company_id
-- not DO NOTHING, which would trust in a note that somebody is about to take away
ON CONFLICT (run_id, company_id) DO UPDATE SET run_id = excluded.run_id

-- name: company_stale_find
-- What is to be counted for a run, and for no run.
SELECT run_id, company_id FROM stale_companies WHERE run_id IN (0, :run_id) ORDER BY run_id DESC, company_id
LIMIT :limit

-- name: company_stale_runs
-- Runs that are over and have companies to be counted.
SELECT DISTINCT run_id FROM stale_companies s
WHERE NOT EXISTS (SELECT 1 FROM ingestion_runs r WHERE r.id = s.run_id AND r.status = 'RUNNING')
ORDER BY run_id

-- name: company_stale_done
-- One company need not be counted any more.
DELETE FROM stale_companies WHERE run_id = :run_id AND company_id = :company_id

-- name: company_name
-- The name of one company, and the spelling its items were grouped by.
SELECT name, name_key FROM companies WHERE id = :id

-- name: company_aggregate
-- Count a company's vacancies anew; one is open until its closing is confirmed.
UPDATE companies
SET name_key = :name_key, offers_seen = counted.seen, offers_open = counted.open_now,
    reposts = counted.grouped - counted.jobs, first_seen_at = counted.first_seen_at,
    last_seen_at = counted.last_seen_at, aggregated_at = :now
FROM (
  SELECT count(*) AS seen, count(i.group_key) AS grouped, count(DISTINCT i.group_key) AS jobs,
         min(i.first_seen_at) AS first_seen_at, max(i.last_seen_at) AS last_seen_at,
         count(CASE WHEN i.closed_at IS NULL THEN 1 END) AS open_now
  FROM items i
  WHERE i.company_id = :id AND i.kind = 'vacancy'
) AS counted
WHERE id = :id

-- name: company_search
-- Companies with vacancies, those with most open ones first; all rows of one name stand together.
WITH named AS (
  SELECT c.id, coalesce(nullif(c.name_key, ''), lower(c.name)) AS shown_key FROM companies c WHERE c.offers_seen > 0
), chosen AS (
  SELECT n.shown_key, sum(c.offers_open) AS open_now, sum(c.offers_seen) AS seen
  FROM named n JOIN companies c ON c.id = n.id
  WHERE TRUE
    AND n.shown_key IN (  -- if: text
      SELECT f.shown_key FROM named f JOIN companies g ON g.id = f.id WHERE lower(g.name) LIKE :text ESCAPE '\'  -- if: text
    )  -- if: text
  GROUP BY n.shown_key
  ORDER BY 2 DESC, 3 DESC, 1
  LIMIT :limit
)
SELECT n.shown_key, c.id, c.source, c.name, c.offers_seen, c.offers_open, c.reposts, c.first_seen_at, c.last_seen_at
FROM chosen k
JOIN named n ON n.shown_key = k.shown_key
JOIN companies c ON c.id = n.id
ORDER BY k.open_now DESC, k.seen DESC, n.shown_key, c.offers_seen DESC, c.id
