-- When each piece of periodic work was last put.

CREATE TABLE schedules (
  name TEXT PRIMARY KEY,
  last_run_at {timestamp} NOT NULL
);
