-- name: session_add
-- Somebody has signed in.
INSERT INTO sessions (digest, created_at, ends_at) VALUES (:digest, :now, :ends_at)

-- name: session_find
-- One session that has not ended.
SELECT digest FROM sessions WHERE digest = :digest AND ends_at > :now

-- name: session_revoke
-- Somebody has signed out.
DELETE FROM sessions WHERE digest = :digest

-- name: session_prune
-- Forget the sessions that have ended.
DELETE FROM sessions WHERE ends_at <= :now
