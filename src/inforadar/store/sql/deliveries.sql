-- name: delivery_insert
-- One match for one sink; it is sent there once, whoever asks.
INSERT INTO deliveries (match_id, sink, state, why, due_at, created_at, updated_at)
VALUES (:match_id, :sink, :state, :why, :due_at, :now, :now)
ON CONFLICT (match_id, sink) DO NOTHING
RETURNING id

-- name: delivery_search
-- Deliveries by what is asked for, oldest first.
SELECT d.id, d.match_id, d.sink, d.state, d.why, d.due_at, d.tries, d.reference, d.sent_at, d.created_at, d.updated_at
FROM deliveries d
WHERE TRUE
  AND d.id = :id                      -- if: id
  AND d.match_id = :match_id          -- if: match_id
  AND d.state = :state                -- if: state
  AND d.sink = :sink                  -- if: sink
ORDER BY d.id
LIMIT :limit

-- name: delivery_of_message
-- What one message shows, in its order.
SELECT d.id, d.match_id, d.sink, d.state, d.why, d.due_at, d.tries, d.reference, d.sent_at, d.created_at, d.updated_at
FROM messages m
JOIN deliveries d ON d.id = m.delivery_id
WHERE m.reference = :reference
ORDER BY m.place

-- name: delivery_messages
-- The messages that show one delivery, oldest first.
SELECT reference FROM messages WHERE delivery_id = :delivery_id ORDER BY reference

-- name: delivery_message_add
-- One delivery is shown by one message.
INSERT INTO messages (reference, delivery_id, place) VALUES (:reference, :delivery_id, :place)
ON CONFLICT (reference, delivery_id) DO NOTHING

-- name: delivery_without_job
-- What is to be sent but has no job that would do it; `is_given_up`: its last job failed while it was being sent;
-- `cancelled`: what its last job ended with, where a person cancelled it.
SELECT d.id, d.match_id, d.sink, d.state, d.why, d.due_at, d.tries, d.reference, d.sent_at, d.created_at, d.updated_at,
       CASE WHEN d.state = 'sending' AND EXISTS (
         SELECT 1 FROM jobs j
         WHERE j.unique_key = 'deliver:' || CAST(d.id AS TEXT) AND j.status = 'failed' AND j.created_at >= d.created_at
       ) THEN 1 ELSE 0 END AS is_given_up,
       (
         SELECT CASE WHEN j.error_message LIKE 'cancelled by %' AND j.created_at >= d.created_at THEN j.error_message END
         FROM jobs j
         WHERE j.unique_key = 'deliver:' || CAST(d.id AS TEXT) AND j.status IN ('succeeded', 'failed')
         ORDER BY j.id DESC
         LIMIT 1
       ) AS cancelled
FROM deliveries d
WHERE d.state IN ('waiting', 'held', 'sending') AND d.sink NOT IN (SELECT key FROM json_each(:tables))
  AND NOT EXISTS (
    SELECT 1 FROM jobs j
    WHERE j.unique_key = 'deliver:' || CAST(d.id AS TEXT) AND j.status IN ('pending', 'running', 'retryable')
  )
ORDER BY d.id
LIMIT :limit

-- name: delivery_due
-- What may go to a sink now, the oldest first.
SELECT d.id, d.match_id, d.sink, d.state, d.why, d.due_at, d.tries, d.reference, d.sent_at, d.created_at, d.updated_at
FROM deliveries d
WHERE d.sink = :sink AND d.state IN ('waiting', 'held', 'sending') AND d.due_at <= :now
ORDER BY d.due_at, d.id
LIMIT :limit

-- name: delivery_sent_since
-- How many were sent to a sink since a moment.
SELECT count(*) AS n FROM deliveries WHERE sink = :sink AND sent_at >= :since

-- name: delivery_write
-- Where one delivery stands now, only from a state it was decided by, and by the try it was decided in.
UPDATE deliveries
SET state = :state, why = :why, due_at = :due_at, tries = :tries, reference = :reference, sent_at = :sent_at,
    updated_at = :now
WHERE id = :id AND state = :old
  AND tries = :of_try                 -- if: of_try

-- name: delivery_put_off
-- What is due at a sink and was not sent, held until a moment.
UPDATE deliveries SET state = 'held', why = :why, due_at = :until, tries = tries + 1, updated_at = :now
WHERE sink = :sink AND state IN ('waiting', 'held') AND due_at <= :now

-- name: delivery_release
-- What waits for another try at a sink is due now; what is held has its own time.
UPDATE deliveries SET due_at = :now, updated_at = :now WHERE sink = :sink AND state = 'waiting' AND due_at > :now

-- name: delivery_try_again
-- What a sink did not take since a moment waits for another try; what a person cancelled does not.
UPDATE deliveries SET state = 'waiting', why = NULL, due_at = :now, updated_at = :now
WHERE sink = :sink AND state = 'failed' AND updated_at >= :since AND coalesce(why, '') NOT LIKE 'cancelled by %'
RETURNING id

-- name: delivery_unsent
-- Since when the oldest delivery waits to be sent, those the user put off until later left out, and when the next one
-- of all is due; min() would lose the type in SQLite.
SELECT oldest.created_at AS oldest_at, next.due_at AS next_due_at
FROM (SELECT due_at FROM deliveries WHERE state IN ('waiting', 'held', 'sending') ORDER BY due_at LIMIT 1) next
LEFT JOIN (
  SELECT created_at FROM deliveries
  WHERE state IN ('waiting', 'held', 'sending') AND (coalesce(why, '') <> :put_off OR due_at <= :now)
  ORDER BY created_at
  LIMIT 1
) oldest ON TRUE

-- name: delivery_counts
-- How many deliveries have each state.
SELECT state, count(*) AS n FROM deliveries GROUP BY state ORDER BY state

-- name: delivery_titles
-- What the matches of these deliveries are called.
SELECT d.id, i.title FROM deliveries d JOIN matches m ON m.id = d.match_id JOIN items i ON i.id = m.item_id
WHERE d.id IN (SELECT CAST(key AS BIGINT) FROM json_each(:ids))
ORDER BY d.id
