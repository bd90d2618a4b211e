-- name: sheet_tab_get
-- Which tab of which spreadsheet holds one of our tables.
SELECT name, spreadsheet_id, tab_id, unsettled_until FROM sheet_tabs WHERE name = :name

-- name: sheet_tab_put
-- A table is in this tab from now on.
INSERT INTO sheet_tabs (name, spreadsheet_id, tab_id) VALUES (:name, :spreadsheet_id, :tab_id)
ON CONFLICT (name) DO UPDATE SET spreadsheet_id = excluded.spreadsheet_id, tab_id = excluded.tab_id

-- name: sheet_tab_unsettled
-- Until when a write whose answer we do not have may still take effect; NULL = none.
UPDATE sheet_tabs SET unsettled_until = :until WHERE name = :name

-- name: sheet_rows_forget
-- The rows of a table whose tab is gone.
DELETE FROM sheet_rows WHERE tab = :tab

-- name: sheet_rows_forget_some
-- Rows that something was written over by accident.
DELETE FROM sheet_rows WHERE tab = :tab AND key IN (SELECT key FROM json_each(:keys))

-- name: sheet_rows_read
-- The rows that are there were read, and say what is known of them.
UPDATE sheet_rows SET read_at = :at WHERE tab = :tab AND deleted_at IS NULL AND read_at < :at

-- name: sheet_rows_of
-- Everything known of the rows of one table.
SELECT tab, key, digest, feedback, note, read_at, deleted_at FROM sheet_rows WHERE tab = :tab

-- name: sheet_row_get
-- What is known of one row.
SELECT tab, key, digest, feedback, note, read_at, deleted_at FROM sheet_rows WHERE tab = :tab AND key = :key

-- name: sheet_row_put
-- What is known of one row now.
INSERT INTO sheet_rows (tab, key, digest, feedback, note, read_at, deleted_at)
VALUES (:tab, :key, :digest, :feedback, :note, :read_at, :deleted_at)
ON CONFLICT (key, tab) DO UPDATE
SET digest = excluded.digest, feedback = excluded.feedback, note = excluded.note, read_at = excluded.read_at,
    deleted_at = excluded.deleted_at

-- name: sheet_offers
-- Matches that are in the sheet or due there, all of some items at a time.
SELECT d.id AS delivery_id, d.state, m.id AS match_id, m.item_id, m.watch, m.status, m.score, m.reason, m.later_until,
       i.source, i.key, i.url, i.title, c.name AS company, i.group_key,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM deliveries d
JOIN matches m ON m.id = d.match_id
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE d.sink = :sink AND d.state IN ('waiting', 'held', 'sent') AND (d.state = 'sent' OR d.due_at <= :due_at)
  AND m.item_id IN (
    SELECT DISTINCT dm.item_id FROM deliveries dd JOIN matches dm ON dm.id = dd.match_id
    WHERE dd.sink = :sink AND dd.state IN ('waiting', 'held', 'sent') AND (dd.state = 'sent' OR dd.due_at <= :due_at)
      AND dm.item_id > :after_id
    ORDER BY dm.item_id LIMIT :limit
  )
ORDER BY m.item_id, m.id

-- name: sheet_matches
-- The matches that one row of the sheet stands for.
SELECT m.id FROM deliveries d
JOIN matches m ON m.id = d.match_id
JOIN items i ON i.id = m.item_id
WHERE d.sink = :sink AND d.state = 'sent' AND i.source = :source AND i.key = :key
ORDER BY m.id

-- name: sheet_companies
-- The companies of all that is in the sheet, as they were last counted.
SELECT c.source, c.key, c.name, c.offers_seen, c.offers_open, c.reposts, c.first_seen_at, c.last_seen_at
FROM companies c
WHERE c.offers_seen > 0 AND c.id IN (
  SELECT i.company_id FROM deliveries d JOIN matches m ON m.id = d.match_id JOIN items i ON i.id = m.item_id
  WHERE d.sink = :sink AND d.state = 'sent' AND i.kind = 'vacancy'
)
ORDER BY c.id
