-- name: valuation_lock
-- Let nobody else write points of this watch or value it before this transaction ends.
SELECT watch FROM valuations WHERE watch = :watch FOR UPDATE
