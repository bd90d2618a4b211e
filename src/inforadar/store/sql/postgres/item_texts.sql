-- name: text_add
-- The texts of new items.
INSERT INTO item_texts (rowid, text)
SELECT id, text FROM jsonb_to_recordset(:rows) AS r (id BIGINT, text TEXT)
ON CONFLICT (rowid) DO NOTHING

-- name: text_put
-- The texts of items, over the old ones.
INSERT INTO item_texts (rowid, text)
SELECT id, text FROM jsonb_to_recordset(:rows) AS r (id BIGINT, text TEXT) ORDER BY id
ON CONFLICT (rowid) DO UPDATE SET text = excluded.text

-- name: text_find
-- Items whose texts have all of these grams, no more than the limit; the expression is that of the index.
SELECT rowid AS id FROM item_texts
WHERE (string_to_array(regexp_replace(text, '(.{3})', E'\\1\n', 'g'), E'\n')
  || string_to_array(regexp_replace(substr(text, 2), '(.{3})', E'\\1\n', 'g'), E'\n')
  || string_to_array(regexp_replace(substr(text, 3), '(.{3})', E'\\1\n', 'g'), E'\n'))
  @> ARRAY(SELECT jsonb_array_elements_text(:grams))
LIMIT :limit
