-- name: company_find
-- Companies of a source by their keys.
SELECT id, key, name FROM companies
WHERE source = :source AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: company_insert
-- Save new companies; one that another process has just saved is left as it is.
INSERT INTO companies (source, key, name, name_key, created_at, updated_at)
SELECT source, key, name, name_key, now, now
FROM jsonb_to_recordset(:rows) AS r (source TEXT, key TEXT, name TEXT, name_key TEXT, now TIMESTAMPTZ)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key

-- name: company_rename
-- The source shows another name for the same company.
UPDATE companies c SET name = r.name, updated_at = r.now
FROM jsonb_to_recordset(:rows) AS r (id BIGINT, name TEXT, now TIMESTAMPTZ)
WHERE c.id = r.id

-- name: company_stale
-- The companies of the vacancies a page shows are to be counted anew for its run.
INSERT INTO stale_companies (run_id, company_id)
SELECT DISTINCT CAST(:run_id AS BIGINT), company_id FROM items
WHERE source = :source AND kind = 'vacancy' AND company_id IS NOT NULL
  AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))
ON CONFLICT (run_id, company_id) DO NOTHING
