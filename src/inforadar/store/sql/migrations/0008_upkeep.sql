-- Full texts asked for in vain; and old runs are found by the changes that name them, to be forgotten.

CREATE TABLE full_text_tries (
  item_id BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
  tries BIGINT NOT NULL,
  next_try_at {timestamp}
);

CREATE INDEX item_changes_by_run ON item_changes (run_id) WHERE run_id IS NOT NULL;

CREATE INDEX ingestion_runs_by_start ON ingestion_runs (started_at);
