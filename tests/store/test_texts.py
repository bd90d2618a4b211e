"""The text filter finds what people read, in their languages, on both databases, and old rows after an upgrade."""

import tracemalloc
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inforadar.domain.finding import grams, haystack, needle
from inforadar.domain.item import ItemId
from inforadar.store import inbox, items, matches, texts
from inforadar.store.database import Database
from inforadar.store.inbox import Wanted
from inforadar.store.migrate import known_migrations, upgrade
from store.samples_of_rows import NOW, an_item

TITLES = {
    "en": "Senior Python/Go Developer (PostgreSQL), C++ & .NET",
    "ru": "Ведущий разработчик 1С, Ёлочные игрушки",
    "es": "Ingeniero informático de España, 100% remoto_total",
    "article": "Why B-trees",
}


def fill(db: Database) -> dict[str, ItemId]:
    with db.transaction() as tx:
        made = [replace(an_item(key), title=title, company=None, company_key=None) for key, title in TITLES.items()]
        made[0] = replace(made[0], company="Acme Ñandú S.L.", company_key="acme")
        made[3] = replace(made[3], data={"author": "Эдгар Кодд"})
        ids = items.insert(tx, made)
        matches.create(tx, "w", "q", list(ids.values()), NOW, "machine", "found")
    return ids


def found(db: Database, text: str) -> set[str]:
    with db.reading() as tx:
        everywhere = {match.key for match in matches.search(tx, text=text)}
        assert {match.key for match in inbox.search(tx, Wanted(text=text))} == everywhere
        assert {match.key for match in inbox.search(tx, Wanted(text=text, statuses=("QUEUED",)))} == everywhere
    return everywhere


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("python", {"en"}),
        ("PYTHON/GO", {"en"}),
        ("ostgres", {"en"}),
        ("Go", {"en"}),
        ("go developer", {"en"}),
        ("  Go   Developer ", {"en"}),
        ("c++", {"en"}),
        (".net", {"en"}),
        ("acme ñandú", {"en"}),
        ("nandu", {"en"}),
        ("acme", {"en"}),
        ("разраб", {"ru"}),
        ("РАЗРАБОТЧИК", {"ru"}),
        ("елочные", {"ru"}),
        ("ёлочные", {"ru"}),
        ("1c", {"ru"}),
        ("1С", {"ru"}),
        ("informatico", {"es"}),
        ("informático", {"es"}),
        ("españa", {"es"}),
        ("espana", {"es"}),
        ("100%", {"es"}),
        ("remoto_t", {"es"}),
        ("remotoxt", set()),
        ("1%0", set()),
        ("кодд", {"article"}),
        ("b-tree", {"article"}),
        ("w", {"article"}),
        ("y", set()),
        ("nowhere", set()),
        ("НОСТ", set()),
        ("РОД", set()),
        ("РАЗРА", {"ru"}),
        ("КОД", {"article"}),
        ("Е", {"ru"}),
        ("++", {"en"}),
        ("%", {"es"}),
        ("& ", {"en"}),
        ('"', set()),
        ('pyt" OR "ngu', set()),
        ("*", set()),
        (" ", {"en", "ru", "es", "article"}),
        ("\u200b", {"en", "ru", "es", "article"}),
    ],
)
def test_words_and_parts_of_words_are_found_as_people_write_them(db, text, keys):
    fill(db)
    assert found(db, text) == keys


def test_a_text_is_found_by_the_index_or_by_walking_alike(db, monkeypatch):
    fill(db)
    monkeypatch.setattr(texts, "MOST_CANDIDATES", 0)
    assert (found(db, "python"), found(db, "разраб"), found(db, "e"), found(db, "nowhere")) == (
        {"en"},
        {"ru"},
        {"es"},
        set(),
    )


def test_pages_of_what_was_found_go_on_without_a_gap(db):
    with db.transaction() as tx:
        made = [
            replace(an_item(str(n), published_at=NOW - timedelta(minutes=n // 3)), title="python") for n in range(9)
        ]
        matches.create(tx, "w", "q", list(items.insert(tx, made).values()), NOW, "machine", "found")
        first = matches.search(tx, text="pyth", limit=5)
        last = first[-1]
        second = matches.search(tx, text="pyth", limit=5, below=(last.published_at, last.id))
    assert len({match.id for match in [*first, *second]}) == 9


def test_a_new_title_and_a_new_name_of_the_company_are_found_and_the_old_ones_are_not(db):
    fill(db)
    with db.transaction() as tx:
        stored = items.find(tx, "hh", ["en", "ru"])
        items.update(tx, [replace(stored["ru"], title="Аналитик")])
        items.insert(tx, [replace(an_item("new"), title="x", company="Umbrella", company_key="acme")])
    assert (found(db, "аналитик"), found(db, "разработчик")) == ({"ru"}, set())
    assert (found(db, "umbrella"), found(db, "acme")) == ({"en"}, set())


def test_a_company_with_many_long_items_is_renamed_in_little_memory(db, monkeypatch):
    monkeypatch.setattr(texts, "AT_ONCE", 2)
    with db.transaction() as tx:
        items.insert(tx, [an_item(str(number), data={"full_text": "long " * 20_000}) for number in range(50)])
    tracemalloc.start()
    try:
        with db.transaction() as tx:
            items.insert(tx, [an_item("50", company="Phoenix")])
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    with db.reading() as tx:
        assert len(texts.candidates(tx, needle("phoenix")) or []) == 51


def test_an_item_that_is_forgotten_leaves_no_text(db):
    ids = fill(db)
    with db.transaction() as tx:
        for match in matches.search(tx, text="python"):
            matches.delete(tx, match.id)
        assert items.forget_unmatched(tx, ids["en"])
        assert texts.candidates(tx, needle("python")) == []


def test_an_upgrade_finds_the_rows_that_were_there_before(db):
    fill(db)
    with db.transaction() as tx:
        tx.run_text("DROP TABLE item_texts")
        tx.run_text("DELETE FROM schema_migrations WHERE name = '0017_text_filter'")
    assert upgrade(db) == ["0017_text_filter"]
    assert (found(db, "python"), found(db, "разраб"), found(db, "acme")) == ({"en"}, {"ru"}, {"en"})
    assert known_migrations()


def test_a_needle_is_made_as_its_haystack_is():
    assert needle("Go").text == " go"
    assert grams(needle("Python/Go").text)[:2] == ("pyt", "yth")
    assert needle("  ") is None
    assert grams("c") == ()
    assert needle("c").text in haystack("A/C")
    assert haystack(None, "") == "  "


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("РЕСТОРАН", "Повар в ресторан"),
        ("ВОР", "Воронеж"),
        ("РОСТ", "Ростов"),
        ("МТС", "мтс"),
        ("КАСС", "Кассир"),
        ("cto", "СТО магазина"),
        ("СТО", "CTO of shops"),
        ("#", "C#"),
        ("🚀", "Dev🚀"),
    ],
)
def test_look_alike_capitals_are_looked_for_as_both_words(db, text, title):
    with db.transaction() as tx:
        made = items.insert(tx, [replace(an_item("1"), title=title), replace(an_item("2"), title="Zzz")])
        matches.create(tx, "w", "q", list(made.values()), NOW, "machine", "found")
    assert found(db, text) == {"1"}


WORDS = st.text(alphabet="АВЕКМНОРСТУХавекмнорстухжйёлABEKMHOPCTYXabcñé19/-+# ", min_size=3, max_size=20)


@given(title=WORDS, data=st.data())
def test_any_part_of_a_title_is_found_in_any_case(title, data):
    start = data.draw(st.integers(0, len(title) - 3))
    part = title[start : data.draw(st.integers(start + 3, len(title)))].strip()
    assume(len(part) >= 3)
    for typed in (part, part.lower(), part.upper(), part.title(), part.swapcase()):
        assert needle(typed).is_in(haystack(title, "Acme"))
