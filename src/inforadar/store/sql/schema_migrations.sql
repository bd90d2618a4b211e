-- name: migration_table_count
-- 1 when this database has ever been migrated, else 0.
SELECT count(*) AS n FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'

-- name: migration_table_create
-- The record of what was applied.
CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY)

-- name: migration_lock
-- Only one process migrates at a time; SQLite's writing transaction is the lock already.
SELECT 1 AS locked

-- name: migration_names
-- Everything applied, in order.
SELECT name FROM schema_migrations ORDER BY name

-- name: migration_record
-- Note that a migration was applied.
INSERT INTO schema_migrations (name) VALUES (:name)

-- name: migration_foreign_tables
-- Tables in a file that was never migrated: they are somebody else's.
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migrations' LIMIT 1
