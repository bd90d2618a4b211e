-- name: migration_table_count
-- 1 when this database has ever been migrated, else 0.
SELECT count(*) AS n FROM information_schema.tables
WHERE table_schema = current_schema() AND table_name = 'schema_migrations'

-- name: migration_lock
-- Only one process migrates at a time, for as long as that takes; the lock ends with the transaction. The number is
-- this product's own.
SELECT pg_advisory_xact_lock(7236420260105) IS NULL AS locked, set_config('statement_timeout', '0', TRUE) AS patience

-- name: migration_foreign_tables
-- Tables of our names in a schema that was never migrated: somebody else's; tables of other names do not matter.
SELECT table_name AS name FROM information_schema.tables
WHERE table_schema = current_schema() AND table_name IN ('items', 'companies', 'matches', 'jobs', 'leases', 'query_state')
LIMIT 1
