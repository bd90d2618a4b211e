-- name: item_change_insert
-- Note fields that became different.
INSERT INTO item_changes (item_id, run_id, changed_at, field, old, new)
VALUES (:item_id, :run_id, :changed_at, :field, :old, :new)

-- name: item_change_of_item
-- The history of one item, oldest first.
SELECT changed_at, run_id, field, old, new FROM item_changes WHERE item_id = :item_id ORDER BY id
