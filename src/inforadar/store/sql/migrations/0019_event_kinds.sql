-- Two more kinds of events: a list that went on too fast is a gap, and a value that moved is an alert and no alarm.

ALTER TABLE events RENAME TO old_events;

CREATE TABLE events (
  id {id},
  at {timestamp} NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('outage', 'recovery', 'alarm', 'gap', 'alert')),
  source TEXT NOT NULL,
  query_key TEXT,
  message TEXT NOT NULL
);

INSERT INTO events (at, kind, source, query_key, message)
SELECT at, kind, source, query_key, message FROM old_events ORDER BY id;

DROP TABLE old_events;

CREATE INDEX events_by_source ON events (source, query_key, id);
