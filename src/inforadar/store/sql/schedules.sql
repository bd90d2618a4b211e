-- name: schedule_all
-- When each piece of periodic work was last put.
SELECT name, last_run_at FROM schedules

-- name: schedule_ran
-- A piece of periodic work was put.
INSERT INTO schedules (name, last_run_at) VALUES (:name, :now)
ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
