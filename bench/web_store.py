"""Stores of a given size for the web page, filled by statements that make their rows themselves."""

from datetime import UTC, datetime

from inforadar.store.database import Database
from inforadar.store.statements import DatabaseKind

COMPANIES = 5_000
POSTINGS = 4  # of one job
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
STEP_S = 30
RARE = "haskell"
COMMON = "python"
WORDS = (
    "CASE n % 7 WHEN 0 THEN 'Senior' WHEN 1 THEN 'Middle' WHEN 2 THEN 'Lead' WHEN 3 THEN 'Ведущий' "
    "WHEN 4 THEN 'Ingeniero' WHEN 5 THEN 'Remote' ELSE 'Staff' END || ' ' || "
    f"CASE WHEN n = 77 THEN '{RARE.title()}' WHEN n % 5 = 0 THEN '{COMMON.title()}' "
    "WHEN n % 5 = 1 THEN 'Java' WHEN n % 5 = 2 THEN 'Разработчик' WHEN n % 5 = 3 THEN 'Desarrollador' ELSE 'Rust' END "
    "|| ' developer ' || CAST(n AS TEXT)"
)
# As after a year: a few to decide on, some decided, nearly all found unsuitable.
STATUS = (
    "CASE WHEN n % 100 < 3 THEN 'SENT_TO_USER' WHEN n % 100 = 4 THEN 'APPLIED' WHEN n % 100 < 10 THEN 'NOT_INTERESTED' "
    "WHEN n % 1000 = 10 THEN 'QUEUED' ELSE 'NOT_SUITABLE' END"
)
NUMBERS: dict[DatabaseKind, str] = {
    "sqlite": "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})",
    "postgres": "WITH numbers AS (SELECT n FROM generate_series(1, {count}) n)",
}
AT: dict[DatabaseKind, str] = {
    "sqlite": f"strftime('%Y-%m-%dT%H:%M:%S.000000Z', '{BEGIN:%Y-%m-%d}', (n * {STEP_S}) || ' seconds')",
    "postgres": f"CAST('{BEGIN.isoformat()}' AS TIMESTAMPTZ) + n * interval '{STEP_S} seconds'",
}
DATA: dict[DatabaseKind, str] = {
    "sqlite": '\'{"place": "Madrid", "snippet": "\' || hex(zeroblob(150)) || \'"}\'',
    "postgres": "jsonb_build_object('place', 'Madrid', 'snippet', repeat('0', 300))",
}
IDS: dict[DatabaseKind, str] = {"sqlite": "", "postgres": " OVERRIDING SYSTEM VALUE"}
FILLS = (
    """INSERT INTO items (id, source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at,
    group_key, data){ids}
    SELECT n, 'hh', CAST(n AS TEXT), 'vacancy', 'https://hh.ru/vacancy/' || CAST(n AS TEXT), {words},
    n % {companies} + 1, {at}, {at}, {at}, 'job ' || CAST(n / {postings} AS TEXT), {data}""",
    """INSERT INTO item_texts (rowid, text) SELECT n, ' ' || lower({words}) || ' company ' ||
    CAST(n % {companies} + 1 AS TEXT) || ' '""",
    """INSERT INTO matches (id, watch, item_id, query_key, status, score, reason, status_at, created_at,
    updated_at){ids}
    SELECT n, 'bench', n, 'hh:1', {status}, n % 100 / 100.0, 'python, sql', {at}, {at}, {at}""",
    """INSERT INTO match_events (match_id, at, who, to_status, why) SELECT n, {at}, 'machine', {status}, 'found'""",
    """INSERT INTO analyses (match_id, at, judge, score, is_relevant, reason, skills, substance)
    SELECT n, {at}, 'words', 0.5, n % 100 < 10, 'python, sql', '["python", "sql"]', 's'""",
)
COMPANY = """INSERT INTO companies (id, source, key, name, created_at, updated_at){ids}
    SELECT n, 'hh', CAST(n AS TEXT), 'Company ' || CAST(n AS TEXT), {at}, {at}"""
NO_CHECKS: dict[DatabaseKind, tuple[str, ...]] = {
    "sqlite": (),
    "postgres": ("SET LOCAL session_replication_role = replica", "SET LOCAL statement_timeout = 0"),
}
# As users have it: PostgreSQL's autovacuum looks at tables that grew; for SQLite nobody makes statistics.
SETTLE: dict[DatabaseKind, tuple[str, ...]] = {
    "sqlite": ("PRAGMA wal_checkpoint(TRUNCATE)",),
    "postgres": ("VACUUM ANALYZE",),
}


def fill(database: Database, matches: int) -> None:
    """So many matches of as many items, with texts, events and verdicts."""
    kind = database.kind
    index = database.driver.types["text_index"]
    with database.transaction() as tx:
        for text in NO_CHECKS[kind]:
            tx.run_text(text)
        if index:
            tx.run_text("DROP INDEX item_texts_by_gram")
        tx.run_text(_statement(COMPANY, kind, COMPANIES))
        for text in FILLS:
            tx.run_text(_statement(text, kind, matches))
        if index:
            tx.run_text(index)
    connection = database.driver.connect()
    for text in SETTLE[kind]:
        connection.rows(text, {}) if kind == "sqlite" else connection.run(text, {})
    connection.close()


def _statement(text: str, kind: DatabaseKind, count: int) -> str:
    filled = text.format(
        ids=IDS[kind], words=WORDS, companies=COMPANIES, postings=POSTINGS, at=AT[kind], data=DATA[kind], status=STATUS
    )
    whole = filled.replace("SELECT", f"{NUMBERS[kind].format(count=count)} SELECT", 1) + " FROM numbers"
    return whole.replace("%", "%%") if kind == "postgres" else whole
