-- name: company_find
-- Companies of a source by their keys.
SELECT id, key, name FROM companies
WHERE source = :source AND key = ANY (ARRAY(SELECT key FROM json_each(:keys)))

-- name: company_insert
-- Save new companies; one that another process has just saved is left as it is.
INSERT INTO companies (source, key, name, created_at, updated_at)
SELECT source, key, name, now, now
FROM jsonb_to_recordset(:rows) AS r (source TEXT, key TEXT, name TEXT, now TIMESTAMPTZ)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key

-- name: company_rename
-- The source shows another name for the same company.
UPDATE companies c SET name = r.name, updated_at = r.now
FROM jsonb_to_recordset(:rows) AS r (id BIGINT, name TEXT, now TIMESTAMPTZ)
WHERE c.id = r.id
