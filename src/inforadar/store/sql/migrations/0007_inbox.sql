-- From item to inbox: availability, analyses, deliveries, what the user decided, and what is counted for good.

ALTER TABLE items ADD COLUMN checked_at {timestamp};

ALTER TABLE items ADD COLUMN gone_seen_at {timestamp};

ALTER TABLE items ADD COLUMN looked_at {timestamp};

ALTER TABLE matches ADD COLUMN status_at {timestamp};

ALTER TABLE matches ADD COLUMN sent_at {timestamp};

ALTER TABLE matches ADD COLUMN later_until {timestamp};

ALTER TABLE matches ADD COLUMN recoveries BIGINT NOT NULL DEFAULT 0;

UPDATE matches SET status_at = updated_at;

CREATE INDEX matches_by_status ON matches (status, id);

CREATE INDEX matches_skipped ON matches (status_at) WHERE status = 'SKIPPED';

CREATE TABLE acts (
  id {id},
  at {timestamp} NOT NULL,
  who TEXT NOT NULL,
  verb TEXT NOT NULL CHECK (verb IN ('applied', 'not interested', 'later', 'undo'))
);

ALTER TABLE match_events ADD COLUMN act_id BIGINT REFERENCES acts (id);

ALTER TABLE match_events ADD COLUMN undone_by BIGINT REFERENCES acts (id);

ALTER TABLE match_events ADD COLUMN later_before {timestamp};

CREATE INDEX match_events_by_act ON match_events (act_id) WHERE act_id IS NOT NULL;

CREATE TABLE analyses (
  id {id},
  match_id BIGINT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  at {timestamp} NOT NULL,
  judge TEXT NOT NULL,
  score DOUBLE PRECISION NOT NULL CHECK (score BETWEEN 0 AND 1),
  is_relevant BOOLEAN NOT NULL,
  reason TEXT NOT NULL,
  skills {json} NOT NULL,
  substance TEXT NOT NULL,
  UNIQUE (match_id, substance)
);

CREATE TABLE deliveries (
  id {id},
  match_id BIGINT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  sink TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'sending', 'sent', 'failed', 'left out')),
  why TEXT,
  due_at {timestamp} NOT NULL,
  tries BIGINT NOT NULL DEFAULT 0,
  reference TEXT,
  sent_at {timestamp},
  created_at {timestamp} NOT NULL,
  updated_at {timestamp} NOT NULL,
  UNIQUE (match_id, sink)
);

CREATE INDEX deliveries_unsent ON deliveries (sink, due_at) WHERE state IN ('waiting', 'held', 'sending');

CREATE INDEX deliveries_sent ON deliveries (sent_at) WHERE sent_at IS NOT NULL;

CREATE TABLE messages (
  reference TEXT NOT NULL,
  delivery_id BIGINT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  place BIGINT NOT NULL,
  PRIMARY KEY (reference, delivery_id)
);

CREATE INDEX messages_by_delivery ON messages (delivery_id);

CREATE TABLE cursors (
  name TEXT PRIMARY KEY,
  value BIGINT NOT NULL
);

CREATE TABLE totals (
  name TEXT PRIMARY KEY,
  value BIGINT NOT NULL
);

DROP VIEW vacancies;

CREATE VIEW vacancies AS
SELECT m.id, m.watch, m.item_id, i.source, i.key AS job_id, i.url AS link, i.title, c.name AS company,
       m.status, m.score, m.reason, i.published_at, i.first_seen_at, i.last_seen_at,
       m.sent_at AS sent_to_telegram_at, i.data
FROM matches m
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.kind = 'vacancy';
