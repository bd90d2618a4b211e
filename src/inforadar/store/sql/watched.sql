-- name: watched_counts
-- How many matches each watch has, also one that is not in the configuration any more.
SELECT watch, count(*) AS n FROM matches GROUP BY watch ORDER BY watch

-- name: watched_page
-- What people read of the matches with an id above :after_id, in the order of their ids.
SELECT m.id, m.watch, m.status, i.source, i.key, i.url, i.title, c.name AS company, i.published_at, i.data
FROM matches m
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE m.id > :after_id
  AND m.watch = :watch                                                        -- if: watch
ORDER BY m.id
LIMIT :limit

-- name: watched_left_out
-- How many entries each ban word keeps out.
SELECT watch, word, count(*) AS n FROM tombstones WHERE reason = 'ban word' GROUP BY watch, word ORDER BY watch, word

-- name: watched_newest
-- What people read of the newest matches of a watch.
SELECT m.id, m.watch, m.status, i.source, i.key, i.url, i.title, c.name AS company, i.published_at, i.data
FROM matches m
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE m.watch = :watch
ORDER BY m.id DESC
LIMIT :limit
