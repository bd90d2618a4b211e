-- name: tombstone_insert
-- Remember entries that were left out, and why; the first reason stays.
INSERT INTO tombstones (watch, source, key, reason, word, field, title, url, at)
VALUES (:watch, :source, :key, :reason, :word, :field, :title, :url, :at)
ON CONFLICT (source, key, watch) DO NOTHING

-- name: tombstone_search
-- What was left out, newest first.
SELECT id, watch, source, key, reason, word, field, title, url, at FROM tombstones
WHERE TRUE
  AND watch = :watch                         -- if: watch
  AND source = :source                       -- if: source
  AND key = :key                             -- if: key
ORDER BY id DESC
LIMIT :limit
