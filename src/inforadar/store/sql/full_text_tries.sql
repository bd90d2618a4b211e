-- name: full_text_waiting
-- Articles without their full text, the least tried first, then the newest; due ones, or even those given up.
SELECT i.id, i.source, i.key, i.kind, i.url, i.title, c.name AS company, c.key AS company_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
LEFT JOIN full_text_tries t ON t.item_id = i.id
WHERE i.kind = 'article' AND i.data ->> 'full_text_state' IN ('not_fetched', 'unavailable')
  AND (t.item_id IS NULL OR t.next_try_at <= :due_at)                               -- if: due_at
  AND EXISTS (SELECT 1 FROM matches m WHERE m.item_id = i.id AND m.watch = :watch)  -- if: watch
ORDER BY coalesce(t.tries, 0), i.published_at DESC
LIMIT :limit

-- name: full_text_count
-- How many articles wait for their full text.
SELECT count(*) AS n FROM items i
LEFT JOIN full_text_tries t ON t.item_id = i.id
WHERE i.kind = 'article' AND i.data ->> 'full_text_state' IN ('not_fetched', 'unavailable')
  AND (t.item_id IS NULL OR t.next_try_at <= :due_at)                               -- if: due_at
  AND EXISTS (SELECT 1 FROM matches m WHERE m.item_id = i.id AND m.watch = :watch)  -- if: watch

-- name: full_text_tried
-- One more try in vain; how many that makes.
INSERT INTO full_text_tries (item_id, tries) VALUES (:item_id, 1)
ON CONFLICT (item_id) DO UPDATE SET tries = full_text_tries.tries + 1
RETURNING tries

-- name: full_text_put_off
-- When to try next; NULL = not any more.
UPDATE full_text_tries SET next_try_at = :next_try_at WHERE item_id = :item_id

-- name: full_text_forget
-- There is nothing more to try.
DELETE FROM full_text_tries WHERE item_id = :item_id
