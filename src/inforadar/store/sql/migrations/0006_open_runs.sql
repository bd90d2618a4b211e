-- Open runs are looked for at every start of a fetch.

CREATE INDEX ingestion_runs_open ON ingestion_runs (source) WHERE status = 'RUNNING';
