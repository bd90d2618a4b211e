-- What is known of the rows in the user's spreadsheet, the notes written there, and alarms among the events.

ALTER TABLE matches ADD COLUMN note TEXT;

CREATE TABLE sheet_tabs (
  name TEXT PRIMARY KEY,
  spreadsheet_id TEXT NOT NULL,
  tab_id BIGINT NOT NULL,
  unsettled_until {timestamp}
);

CREATE TABLE sheet_rows (
  tab TEXT NOT NULL REFERENCES sheet_tabs (name) ON DELETE CASCADE,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  feedback TEXT NOT NULL,
  note TEXT NOT NULL,
  read_at {timestamp} NOT NULL,
  deleted_at {timestamp},
  PRIMARY KEY (key, tab)
);

ALTER TABLE events RENAME TO old_events;

CREATE TABLE events (
  id {id},
  at {timestamp} NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('outage', 'recovery', 'alarm')),
  source TEXT NOT NULL,
  query_key TEXT,
  message TEXT NOT NULL
);

INSERT INTO events (at, kind, source, query_key, message)
SELECT at, kind, source, query_key, message FROM old_events ORDER BY id;

DROP TABLE old_events;

CREATE INDEX events_by_source ON events (source, query_key, id);
