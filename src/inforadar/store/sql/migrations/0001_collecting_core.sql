-- The tables of the collecting core. {id}, {timestamp}, {date}, {json} and {now} are each database's own types and
-- clock; statements end in a semicolon at the end of a line.
-- Unique keys begin with the column that differs most: a planner without statistics takes `source = 'hh'` for rare.

CREATE TABLE companies (
  id {id},
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  created_at {timestamp} NOT NULL,
  updated_at {timestamp} NOT NULL,
  UNIQUE (key, source)
);

CREATE TABLE items (
  id {id},
  source TEXT NOT NULL,
  key TEXT NOT NULL CHECK (key <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('vacancy', 'article', 'price')),
  url TEXT NOT NULL CHECK (url <> ''),
  title TEXT NOT NULL CHECK (title <> ''),
  company_id BIGINT REFERENCES companies (id),
  published_at {timestamp} NOT NULL,
  bumped_at {timestamp},
  first_seen_at {timestamp} NOT NULL,
  last_seen_at {timestamp} NOT NULL,
  data {json} NOT NULL,
  UNIQUE (key, source)
);

CREATE INDEX items_by_url ON items (url);

CREATE TABLE query_state (
  watch TEXT NOT NULL,
  query_key TEXT NOT NULL,
  source TEXT NOT NULL,
  params {json} NOT NULL,
  status TEXT NOT NULL DEFAULT 'IDLE' CHECK (status IN ('IDLE', 'RUNNING', 'SUCCESS', 'ERROR')),
  sweeps BIGINT NOT NULL DEFAULT 0,
  last_run_at {timestamp},
  last_success_at {timestamp},
  last_error_at {timestamp},
  last_error TEXT,
  last_processed_date {date},
  consecutive_failures BIGINT NOT NULL DEFAULT 0,
  coverage {json},
  metadata {json},
  created_at {timestamp} NOT NULL,
  updated_at {timestamp} NOT NULL,
  PRIMARY KEY (watch, query_key)
);

CREATE TABLE ingestion_runs (
  id {id},
  query_key TEXT NOT NULL,
  watch TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCESS', 'PARTIAL', 'ERROR')),
  stop_reason TEXT,
  started_at {timestamp} NOT NULL,
  finished_at {timestamp},
  pages_fetched BIGINT NOT NULL DEFAULT 0,
  requests_count BIGINT NOT NULL DEFAULT 0,
  items_fetched BIGINT NOT NULL DEFAULT 0,
  items_unseen BIGINT NOT NULL DEFAULT 0,
  items_known BIGINT NOT NULL DEFAULT 0,
  items_added BIGINT NOT NULL DEFAULT 0,
  items_updated BIGINT NOT NULL DEFAULT 0,
  items_filtered BIGINT NOT NULL DEFAULT 0,
  errors_count BIGINT NOT NULL DEFAULT 0,
  http_429_count BIGINT NOT NULL DEFAULT 0,
  companies_aggregated BIGINT NOT NULL DEFAULT 0,
  companies_failed BIGINT NOT NULL DEFAULT 0,
  left_count BIGINT,
  notes {json},
  warnings {json}
);

CREATE INDEX ingestion_runs_by_query ON ingestion_runs (query_key, id);

CREATE TABLE item_changes (
  id {id},
  item_id BIGINT NOT NULL REFERENCES items (id),
  run_id BIGINT REFERENCES ingestion_runs (id),
  changed_at {timestamp} NOT NULL,
  field TEXT NOT NULL,
  old {json} NOT NULL,
  new {json} NOT NULL
);

CREATE INDEX item_changes_by_item ON item_changes (item_id);

CREATE TABLE matches (
  id {id},
  watch TEXT NOT NULL,
  item_id BIGINT NOT NULL REFERENCES items (id),
  query_key TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN (
    'NEW', 'QUEUED', 'ANALYZED', 'SENT_TO_USER', 'SKIPPED', 'NOT_SUITABLE', 'IN_ARCHIVE', 'APPLIED', 'NOT_INTERESTED'
  )),
  score DOUBLE PRECISION,
  reason TEXT,
  version BIGINT NOT NULL DEFAULT 1,
  created_at {timestamp} NOT NULL,
  updated_at {timestamp} NOT NULL,
  UNIQUE (item_id, watch)
);

CREATE INDEX matches_by_watch ON matches (watch, id);

CREATE TABLE match_events (
  id {id},
  match_id BIGINT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  at {timestamp} NOT NULL,
  who TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  why TEXT NOT NULL
);

CREATE INDEX match_events_by_match ON match_events (match_id);

CREATE TABLE tombstones (
  id {id},
  watch TEXT NOT NULL,
  source TEXT NOT NULL,
  key TEXT NOT NULL,
  reason TEXT NOT NULL,
  word TEXT,
  field TEXT,
  title TEXT NOT NULL,
  url TEXT NOT NULL,
  at {timestamp} NOT NULL,
  UNIQUE (key, source, watch)
);

CREATE TABLE jobs (
  id {id},
  kind TEXT NOT NULL,
  args {json} NOT NULL,
  unique_key TEXT,
  priority BIGINT NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'retryable', 'succeeded', 'failed')),
  attempts BIGINT NOT NULL DEFAULT 0,
  retry_count BIGINT NOT NULL DEFAULT 0,
  run_at {timestamp} NOT NULL,
  locked_by TEXT,
  locked_at {timestamp},
  heartbeat_at {timestamp},
  created_at {timestamp} NOT NULL DEFAULT {now},
  completed_at {timestamp},
  error_message TEXT
);

CREATE UNIQUE INDEX jobs_unfinished_once ON jobs (unique_key) WHERE status IN ('pending', 'running', 'retryable');

CREATE INDEX jobs_claimable ON jobs (priority DESC, id) WHERE status IN ('pending', 'retryable');

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token BIGINT NOT NULL,
  expires_at {timestamp} NOT NULL
);

CREATE VIEW vacancies AS
SELECT m.id, m.watch, m.item_id, i.source, i.key AS job_id, i.url AS link, i.title, c.name AS company,
       m.status, m.score, m.reason, i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM matches m
JOIN items i ON i.id = m.item_id
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.kind = 'vacancy';

CREATE VIEW offers AS
SELECT i.id, i.source AS client, i.key AS offer_id, i.url, i.title, i.company_id, c.name AS company_name,
       i.published_at, i.first_seen_at, i.last_seen_at, i.data
FROM items i
LEFT JOIN companies c ON c.id = i.company_id
WHERE i.kind = 'vacancy';

CREATE VIEW articles AS
SELECT i.id, i.source, i.url, i.title, i.published_at, i.first_seen_at, i.last_seen_at,
       i.data ->> 'author' AS author, i.data ->> 'snippet' AS snippet, i.data -> 'tags' AS tags,
       CAST(i.data ->> 'views' AS NUMERIC) AS views, CAST(i.data ->> 'comments' AS NUMERIC) AS comments,
       CAST(i.data ->> 'rating' AS NUMERIC) AS rating, CAST(i.data ->> 'bookmarks' AS NUMERIC) AS bookmarks,
       i.data ->> 'full_text_state' AS full_text_state, i.data ->> 'full_text' AS full_text
FROM items i
WHERE i.kind = 'article';

CREATE VIEW scrape_jobs AS
SELECT id, kind, args AS query_params, status, priority, attempts, retry_count,
       CASE WHEN status = 'retryable' THEN run_at END AS next_retry_at,
       locked_by, locked_at, heartbeat_at, created_at, completed_at, error_message
FROM jobs;
