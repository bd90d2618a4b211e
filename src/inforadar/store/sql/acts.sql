-- name: act_insert
-- One act of the user on one or many matches.
INSERT INTO acts (at, who, verb) VALUES (:at, :who, :verb)
RETURNING id

-- name: act_search
-- Acts, newest first; `undoable` ones are no undo and hold on at least one match. An act that was undone piece by piece
-- is undone by the last of those who did.
SELECT a.id, a.at, a.who, a.verb,
       (SELECT CASE WHEN count(*) = count(e.undone_by) THEN max(e.undone_by) END
        FROM match_events e WHERE e.act_id = a.id) AS undone_by,
       (SELECT count(*) FROM match_events e WHERE e.act_id = a.id) AS matches
FROM acts a
WHERE TRUE
  AND a.id = :id                                          -- if: id
  AND a.verb <> 'undo' AND :undoable                      -- if: undoable
  AND EXISTS (SELECT 1 FROM match_events e WHERE e.act_id = a.id AND e.undone_by IS NULL AND :undoable)  -- if: undoable
ORDER BY a.id DESC
LIMIT :limit

-- name: act_undone
-- What an act did to one match is undone by another act; only once.
UPDATE match_events SET undone_by = :by WHERE act_id = :id AND match_id = :match_id AND undone_by IS NULL

-- name: act_events
-- What an act did to each match and is not undone, and the last act on that match that holds.
SELECT e.match_id, e.from_status, e.to_status, e.later_before, (
         SELECT max(a.id) FROM match_events other JOIN acts a ON a.id = other.act_id
         WHERE other.match_id = e.match_id AND a.verb <> 'undo' AND other.undone_by IS NULL
       ) AS last_act
FROM match_events e
WHERE e.act_id = :id AND e.undone_by IS NULL
ORDER BY e.match_id

-- name: act_last_of_match
-- The last act on one match that is no undo and not undone.
SELECT max(a.id) AS id FROM match_events e JOIN acts a ON a.id = e.act_id
WHERE e.match_id = :match_id AND a.verb <> 'undo' AND e.undone_by IS NULL
