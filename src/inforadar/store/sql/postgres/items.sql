-- name: item_insert
-- Save new items; the unique key decides which are new, and only those are returned.
INSERT INTO items (source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, data)
SELECT source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, data
FROM jsonb_to_recordset(:rows) AS r (
  source TEXT, key TEXT, kind TEXT, url TEXT, title TEXT, company_id BIGINT,
  published_at TIMESTAMPTZ, first_seen_at TIMESTAMPTZ, last_seen_at TIMESTAMPTZ, data JSONB
)
ON CONFLICT (source, key) DO NOTHING
RETURNING id, key

-- name: item_update
-- Write merged items over the stored ones; a time of sighting never goes back.
UPDATE items i
SET url = r.url, title = r.title, company_id = coalesce(r.company_id, i.company_id), published_at = r.published_at,
    last_seen_at = CASE WHEN i.last_seen_at > r.last_seen_at THEN i.last_seen_at ELSE r.last_seen_at END,
    data = r.data
FROM jsonb_to_recordset(:rows) AS r (
  source TEXT, key TEXT, url TEXT, title TEXT, company_id BIGINT,
  published_at TIMESTAMPTZ, last_seen_at TIMESTAMPTZ, data JSONB
)
WHERE i.source = r.source AND i.key = r.key
