-- The latest job of a piece of work is found by its unique key after it has finished too; unfinished ones are found by
-- the index that keeps them unique.

CREATE INDEX jobs_finished_by_key ON jobs (unique_key, id) WHERE status IN ('succeeded', 'failed');
