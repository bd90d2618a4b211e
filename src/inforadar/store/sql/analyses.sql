-- name: analysis_insert
-- One verdict on one match; the same substance is judged once, and measured by what the watch asks for now.
INSERT INTO analyses (match_id, at, judge, score, is_relevant, reason, skills, substance)
VALUES (:match_id, :at, :judge, :score, :is_relevant, :reason, :skills, :substance)
ON CONFLICT (match_id, substance) DO UPDATE SET is_relevant = excluded.is_relevant

-- name: analysis_search
-- The verdicts on one match, newest first.
SELECT at, judge, score, is_relevant, reason, skills, substance FROM analyses
WHERE match_id = :match_id
ORDER BY id DESC
