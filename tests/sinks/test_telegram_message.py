"""A notice as a message: what it says, its buttons, and that no content can break it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.status import Status
from inforadar.sinks import plain_words
from inforadar.sinks.callbacks import decode, is_genuine
from inforadar.sinks.card_words import age_words, clean, facts, safe_link
from inforadar.sinks.telegram_message import render
from sinks.cards import NOW, TOKEN, card, notice
from sinks.strict_html import shown, utf16_units

HOSTILE = [
    "<b>bold</b> title",
    "an <b unclosed tag",
    "a < b && c > d",
    "AT&T &amp; Co &nbsp;&mdash;&#0;&#x202e;",
    "x" * 5000,
    "😀" * 5000,
    "\u202egnp.exe\u202c",
    "line\none\r\n\x00\x1b[31m",
    "&" * 5000,
    "</a></b>" * 50,
    '"><a href="tg://resolve">',
    "\ud800 half",
    "<" * 5000,
]


def rendered(*cards):
    return render(notice(*cards), TOKEN)


def labels(message):
    return [[button["text"] for button in row] for row in message.markup["inline_keyboard"]]


def buttons(message):
    return [button for row in message.markup["inline_keyboard"] for button in row]


def test_a_single_match_tells_what_it_is_where_for_how_much_why_and_since_when():
    message = rendered(card())
    assert message.html.split("\n") == [
        '<b><a href="https://hh.ru/vacancy/1">Senior Python developer</a></b>',
        "Acme &amp; Sons · Madrid, remote · 200,000–300,000 RUB net · 3–6 years",
        "Score 0.82: Python and PostgreSQL",
        "python-madrid · hh · 3 h ago",
    ]
    assert labels(message) == [["Applied", "Not for me"], ["Later", "Open"]]
    assert buttons(message)[-1]["url"] == "https://hh.ru/vacancy/1"


def test_every_button_carries_its_verb_and_match_under_the_seal_of_the_bot():
    pressed = [decode(button["callback_data"]) for button in buttons(rendered(card(77))) if "callback_data" in button]
    assert [one.button.verb for one in pressed] == ["applied", "not interested", "later"]
    assert {one.button.match_id for one in pressed} == {77}
    assert all(is_genuine(one, source="hh", key="key-77", token=TOKEN) for one in pressed)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "APPLIED"}, "✓ Applied"),
        ({"status": "NOT_INTERESTED"}, "✕ Not for me"),
        ({"later_until": NOW + timedelta(days=1)}, "⏰ Put off until 06 Jan, 12:00 UTC"),
    ],
)
def test_a_decided_match_shows_the_decision_and_undo_instead_of_the_decision_buttons(changes, words):
    message = rendered(card(act_id=9, **changes))
    assert message.html.endswith(f"<b>{words}</b>")
    assert labels(message) == [["Undo", "Open"]]
    undo = decode(buttons(message)[0]["callback_data"]).button
    assert (undo.verb, undo.act_id) == ("undo", 9)


def test_what_cannot_be_undone_has_no_undo():
    assert labels(rendered(card(status="APPLIED", act_id=None))) == [["Open"]]


def test_a_closed_match_is_struck_through_and_can_only_be_opened():
    message = rendered(card(status="IN_ARCHIVE", act_id=3))
    assert message.html.startswith(
        '<b><s><a href="https://hh.ru/vacancy/1">Senior Python developer</a></s></b> (closed)'
    )
    assert labels(message) == [["Open"]]


def test_a_reminder_says_so_and_can_be_decided_on():
    message = rendered(card(is_reminder=True, later_until=NOW - timedelta(minutes=1), act_id=3))
    assert message.html.startswith("⏰ You asked to see this again\n")
    assert labels(message)[0] == ["Applied", "Not for me"]


def test_an_article_names_its_author_its_hubs_and_how_long_it_takes():
    article = card(
        kind="article", company=None, data={"author": "ann", "hubs": ["python", "sql"], "reading_minutes": 7}
    )
    assert facts(article) == ["ann", "python, sql", "7 min to read"]


def test_an_offer_tells_its_price_first():
    data = {"price_cents": 17182, "currency": "USD", "price_type": "sold"}
    assert facts(card(kind="price", company="coins4u", data=data)) == ["171.82 USD, sold", "coins4u"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"salary": {"from": 100, "currency": "EUR", "mode": "HOUR"}}, ["from 100 EUR an hour"]),
        ({"salary": {"to": 5000}}, ["up to 5,000"]),
        ({"salary": {"from": 5, "to": 5, "currency": "USD", "gross": True}}, ["5 USD gross"]),
        ({"salary_text": "$100K - $120K"}, ["$100K - $120K"]),
        ({"salary": {"from": "many", "to": None}}, []),
        ({"salary": ["x"], "place": 5, "experience": {"id": 1}, "remote": "yes"}, []),
        ({"remote": True}, ["remote"]),
        ({"place": "Remote, Spain", "remote": True}, ["Remote, Spain"]),
    ],
)
def test_money_and_place_are_told_as_far_as_they_are_known(data, words):
    assert facts(card(company=None, data=data)) == words


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=-50), "just now"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=30), "30 days ago"),
        (timedelta(days=40), "26 Nov 2025"),
    ],
)
def test_age_is_told_in_words(age, words):
    assert age_words(NOW - age, NOW) == words


def test_a_digest_numbers_its_matches_and_gives_each_a_row_of_buttons():
    message = rendered(card(1), card(2, status="APPLIED", act_id=4), card(3, status="IN_ARCHIVE"), card(4, score=None))
    lines = message.html.split("\n")
    assert lines[0] == "<b>4 matches</b>"
    assert lines[1] == '1. <a href="https://hh.ru/vacancy/1">Senior Python developer</a> · Acme &amp; Sons · 0.82'
    assert lines[2].endswith(" · 0.82 · ✓ Applied")
    assert lines[3].startswith("3. <s><a ")
    assert labels(message) == [["1 ✓", "1 ✕", "1 Later"], ["2 Undo"], ["4 ✓", "4 ✕", "4 Later"]]


def test_a_digest_says_where_else_a_job_is():
    cards = (card(1, also_on=("hh again", "linkedin")), card(2))
    first, second = rendered(*cards).html.splitlines()[1:]
    assert first.endswith(" · Also on hh again, linkedin")
    assert "Also on" not in second
    assert plain_words.render(notice(*cards)).body.count("Also on hh again, linkedin") == 1


def test_a_digest_shows_ten_matches_at_most_and_tells_of_the_rest():
    message = rendered(*(card(number) for number in range(1, 13)))
    assert len(message.markup["inline_keyboard"]) == 10
    assert message.html.endswith("\nand 2 more: radar items")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_content_is_shown_as_words_within_the_limit(text):
    one = card(
        title=text, company=text, reason=text, watch=text, source=text, data={"place": text, "salary_text": text}
    )
    for message in (rendered(one), rendered(*[one] * 10)):
        assert_takeable(message)


def test_tags_are_gone_and_entities_are_read_once():
    assert clean("<b>R&amp;D</b><br/>&lt;i&gt; List<String> a < b", 100) == "R&D <i> List<String> a < b"


def test_what_turns_the_reading_order_is_gone():
    assert clean("\u202egnp.exe\u2066 \x1b[31mred\x07", 100) == "gnp.exe red"


@pytest.mark.parametrize(
    "url",
    ["tg://resolve?domain=x", "javascript:alert(1)", "http://localhost/x", "https://", "ftp://a.b/c", "", "//a.b/c",
     "https://user:pw@/x", "https://a.b/" + "x" * 5000, "http://[::1", "data:text/html,x", "https://exa mple.com/"],
)  # fmt: skip
def test_only_whole_web_addresses_are_linked(url):
    message = rendered(card(url=url))
    assert "<a " not in message.html
    assert labels(message) == [["Applied", "Not for me"], ["Later"]]


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://hh.ru/vacancy/1?a=1&b=2#x", "https://hh.ru/vacancy/1?a=1&b=2#x"),
        (" https://хабр.рф/путь ", "https://xn--80ac9br.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C"),
        ("https://google.com@evil.example/x", "https://evil.example/x"),
        ('https://a.b/"><b>', "https://a.b/%22%3E%3Cb%3E"),
        ("http://127.0.0.1:8000/hh/vacancy/1", "http://127.0.0.1:8000/hh/vacancy/1"),
    ],
)
def test_an_address_is_linked_as_given_or_made_safe(url, link):
    assert safe_link(url) == link
    assert shown(rendered(card(url=url)).html)[1] == [link]


def test_the_plain_form_shows_the_address_and_has_no_button_with_one():
    message = rendered(card())
    assert message.plain.startswith("Senior Python developer https://hh.ru/vacancy/1\nAcme & Sons")
    assert [button for row in message.plain_markup["inline_keyboard"] for button in row if "url" in button] == []
    assert len([button for row in message.plain_markup["inline_keyboard"] for button in row]) == 3


TEXT = st.text(max_size=700) | st.sampled_from(HOSTILE)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | TEXT, lambda v: st.lists(v, max_size=3))
DATA = st.dictionaries(
    st.sampled_from(["place", "salary", "salary_text", "experience", "remote", "author", "hubs", "reading_minutes"]),
    JSON | st.dictionaries(st.sampled_from(["from", "to", "currency", "gross", "mode"]), JSON),
)
CARDS = st.builds(
    card,
    st.integers(min_value=1, max_value=10**17),
    source=TEXT,
    key=TEXT,
    kind=st.sampled_from(["vacancy", "article", "price"]),
    watch=TEXT,
    url=TEXT | st.builds("https://{}".format, TEXT),
    title=TEXT,
    company=st.none() | TEXT,
    status=st.sampled_from(Status).map(str),
    score=st.none() | st.floats(0, 1),
    reason=st.none() | TEXT,
    act_id=st.none() | st.integers(min_value=1, max_value=10**17),
    later_until=st.none() | st.just(NOW + timedelta(hours=1)),
    is_reminder=st.booleans(),
    published_at=st.just(NOW),
    data=DATA,
)


@given(st.lists(CARDS, min_size=1, max_size=12))
def test_whatever_the_fields_hold_telegram_takes_the_message(cards):
    assert_takeable(rendered(*cards))


def assert_takeable(message):
    words, links = shown(message.html)
    assert 1 <= utf16_units(words.strip()) <= 4096
    assert 1 <= utf16_units(message.plain.strip()) <= 4096
    assert all(link.startswith(("http://", "https://")) for link in links)
    assert not any("\u202a" <= sign <= "\u202e" or sign < "\n" for sign in words)
    for button in buttons(message):
        assert button["text"]
        assert 1 <= len(button.get("callback_data", "x").encode()) <= 64
