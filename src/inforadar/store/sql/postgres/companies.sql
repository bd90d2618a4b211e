-- name: company_insert
-- Save new companies; one that another process has just saved is left as it is.
INSERT INTO companies (source, key, name, created_at, updated_at)
SELECT source, key, name, now, now
FROM jsonb_to_recordset(:rows) AS r (source TEXT, key TEXT, name TEXT, now TIMESTAMPTZ)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key
