"""Whatever happens to items, in whatever order and wherever the process dies: the filter finds what a scan finds."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inforadar.domain.finding import haystack, needle
from inforadar.domain.item import Item
from inforadar.store import inbox, items, matches, texts
from inforadar.store.database import Database, Tx
from inforadar.store.inbox import Wanted
from store.samples_of_rows import NOW, an_item

KEYS = ("1", "2", "3", "4", "5")
TITLES = ("Python/Go", "Разработчик 1С", "СТО", "python python", "España_100%", "w", "Dev🚀\0", "Кассир")
COMPANIES = (("acme", "Acme Ñandú"), ("acme", "Umbrella"), ("yandex", "Яндекс"), ("acme", None), (None, None))
AUTHORS = ("Эдгар Кодд", "knuth", None, {"name": "nobody"})
NEEDLES = ("pyth", "go", "разраб", "1c", "СТО", "cto", "_100%", "w", "acme", "umbr", "яндекс", "кодд", "nobody", "🚀")

SIGHTING = st.tuples(*map(st.sampled_from, (KEYS, TITLES, COMPANIES, AUTHORS)))
STEP = st.one_of(
    st.tuples(st.just("ingest"), st.lists(SIGHTING, min_size=1, max_size=4, unique_by=lambda one: one[0])),
    st.tuples(st.just("forget"), st.sampled_from(KEYS)),
)


class Died(Exception):
    """The process died before the commit."""


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(most=st.sampled_from([texts.MOST_CANDIDATES, 0]), steps=st.lists(st.tuples(STEP, st.booleans()), max_size=5))
def test_the_text_filter_finds_what_a_scan_of_all_items_finds(db: Database, monkeypatch, most, steps):
    monkeypatch.setattr(texts, "MOST_CANDIDATES", most)
    _forget_all(db)
    for (what, told), is_killed in steps:
        with _dying(is_killed), db.transaction() as tx:
            _ingest(tx, told) if what == "ingest" else _forget(tx, told)
            if is_killed:
                raise Died
        _compare(db)


@contextmanager
def _dying(is_killed: bool) -> Iterator[None]:
    try:
        yield
    except Died:
        assert is_killed


def _ingest(tx: Tx, sightings: list[tuple]) -> None:
    shown = [_item(*sighting) for sighting in sightings]
    stored = items.find(tx, "hh", [item.key for item in shown])
    items.update(tx, [replace(item, id=stored[item.key].id) for item in shown if item.key in stored])
    ids = items.insert(tx, [item for item in shown if item.key not in stored])
    matches.create(tx, "w", "q", list(ids.values()), NOW, "machine", "found")


def _item(key: str, title: str, company: tuple[str | None, str | None], author: object) -> Item:
    company_key, name = company
    data = {"author": author} if author else {}
    return replace(an_item(key), title=title, company=name, company_key=company_key, data=data)


def _forget(tx: Tx, key: str) -> None:
    for match in matches.search(tx):
        if match.key == key:
            matches.delete(tx, match.id)
            assert items.forget_unmatched(tx, match.item_id)


def _forget_all(db: Database) -> None:
    """Every example begins with no items; the names of companies stay."""
    with db.transaction() as tx:
        for key in KEYS:
            _forget(tx, key)


def _compare(db: Database) -> None:
    with db.reading() as tx:
        stored = items.find(tx, "hh", KEYS)
        for text in NEEDLES:
            wanted = needle(text)
            assert wanted is not None
            by_scan = {key for key, item in stored.items() if wanted.is_in(_looked_through(item))}
            assert {match.key for match in matches.search(tx, text=text)} == by_scan, text
            assert matches.count(tx, text=text) == len(by_scan), text
            assert {match.key for match in inbox.search(tx, Wanted(text=text, statuses=("QUEUED",)))} == by_scan, text


def _looked_through(item: Item) -> str:
    author = item.data.get("author")
    return haystack(item.title, item.company, author if isinstance(author, str) else None)
