-- Lists of matches show the newest publication first.

CREATE INDEX items_by_publication ON items (published_at);
