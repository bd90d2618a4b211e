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
  AND lower(title) LIKE :text ESCAPE '\'     -- if: text
ORDER BY id DESC
LIMIT :limit

-- name: tombstone_lift
-- Forget what was left out by ban words that are gone, or by an experience limit that lets in more.
DELETE FROM tombstones
WHERE watch = :watch AND source = :source
  AND ((reason = 'ban word' AND word IN (SELECT key FROM json_each(:words)))
       OR (reason = 'experience' AND CAST(:experience AS BIGINT) = 1))
