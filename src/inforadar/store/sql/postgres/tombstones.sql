-- name: tombstone_insert
-- Remember entries that were left out, and why; the first reason stays.
INSERT INTO tombstones (watch, source, key, reason, word, field, title, url, at)
SELECT watch, source, key, reason, word, field, title, url, at
FROM jsonb_to_recordset(:rows) AS r (
  watch TEXT, source TEXT, key TEXT, reason TEXT, word TEXT, field TEXT, title TEXT, url TEXT, at TIMESTAMPTZ
)
ON CONFLICT (source, key, watch) DO NOTHING
