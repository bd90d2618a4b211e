-- name: item_change_insert
-- Note fields that became different.
INSERT INTO item_changes (item_id, run_id, changed_at, field, old, new)
SELECT item_id, run_id, changed_at, field, coalesce(old, 'null'), coalesce(new, 'null')
FROM jsonb_to_recordset(:rows) AS r (
  item_id BIGINT, run_id BIGINT, changed_at TIMESTAMPTZ, field TEXT, old JSONB, new JSONB
)
