-- Failed jobs are few among those that succeeded, and looked for again and again.

CREATE INDEX jobs_failed ON jobs (id) WHERE status = 'failed';
