-- Who is signed in at the web page (of what a visitor shows, only a digest is kept), and what is put off, counted fast.

CREATE TABLE sessions (
  digest TEXT PRIMARY KEY,
  created_at {timestamp} NOT NULL,
  ends_at {timestamp} NOT NULL
);

CREATE INDEX matches_put_off ON matches (later_until) WHERE later_until IS NOT NULL;
