-- name: lease_get
-- Who holds a lease, and until when.
SELECT holder, token, expires_at FROM leases WHERE name = :name

-- name: lease_take
-- Take a lease that is free, expired, or still held under the token of a holder seen dead. The token always grows.
INSERT INTO leases (name, holder, token, expires_at)
VALUES (:name, :holder, 1, :expires_at)
ON CONFLICT (name) DO UPDATE
SET holder = excluded.holder, token = leases.token + 1, expires_at = excluded.expires_at
WHERE leases.expires_at <= :now OR leases.token = :dead_token
RETURNING token

-- name: lease_renew
-- Prove that the lease is still ours and prolong it; the row stays locked until the transaction ends.
UPDATE leases SET expires_at = :expires_at
WHERE name = :name AND holder = :holder AND token = :token AND expires_at > :now

-- name: lease_release
-- Give a lease back; the row stays, so that the token never starts again.
UPDATE leases SET expires_at = :now
WHERE name = :name AND holder = :holder AND token = :token AND expires_at > :now

-- name: lease_held
-- Every lease somebody holds now.
SELECT name, holder, expires_at FROM leases WHERE expires_at > :now ORDER BY name
