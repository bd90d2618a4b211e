-- name: company_find
-- Companies of a source by their keys.
SELECT id, key, name FROM companies
WHERE source = :source AND key IN (SELECT key FROM json_each(:keys))

-- name: company_insert
-- Save new companies; one that another process has just saved is left as it is.
INSERT INTO companies (source, key, name, created_at, updated_at)
VALUES (:source, :key, :name, :now, :now)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key

-- name: company_rename
-- The source shows another name for the same company.
UPDATE companies SET name = :name, updated_at = :now WHERE id = :id
