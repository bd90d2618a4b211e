"""A store of many matches, made by the database itself."""

from inforadar.bootstrap import App

NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)"
FILL = (
    f"""{NUMBERS} INSERT INTO items
    (id, source, key, kind, url, title, published_at, first_seen_at, last_seen_at, data)
    SELECT n, 'hh', CAST(n AS TEXT), 'vacancy', 'https://hh.ru/vacancy/' || n, 'Title ' || n,
    strftime('%Y-%m-%dT%H:%M:%S', '2026-01-05 11:00:00', '-' || n || ' seconds') || '.000000Z',
    :at, :at, '{{"place": "Madrid"}}' FROM numbers""",
    f"""{NUMBERS} INSERT INTO matches (id, watch, item_id, query_key, status, created_at, updated_at)
    SELECT n, 'jobs', n, 'hh:1', 'QUEUED', :at, :at FROM numbers""",
)


def fill(app: App, count: int) -> None:
    """Put so many matches, `Title 1` the newest."""
    with app.database.transaction() as tx:
        for statement in FILL:
            tx._connection.run(statement, {"count": count, "at": "2026-01-05T11:00:00.000000Z"})
