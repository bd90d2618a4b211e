"""What sites write, as plain text and numbers."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.errors import Unreadable
from inforadar.sources.text import Count, clean_line, first_words, plain_line, plain_text, read_count, unmarked

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>One&nbsp;two</p><p>three</p>", "One two\nthree"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<ul> <li>x</li>\n <li>y <b>z</b></li></ul>tail", "x\ny z\ntail"),
        ("<p>kept</p><script>alert(1)</script><style>p{}</style>", "kept"),
        ("Tom &amp; &lt;Jerry&gt; &#8212; &quot;x&quot;", 'Tom & <Jerry> — "x"'),
        ("<em class='searched-item'>Post</em>gres", "Postgres"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("no markup", "no markup"),
        ("", ""),
        ("<!-- only a comment -->", ""),
        ("<p>half open <b>tag", "half open tag"),
    ],
)
def test_html_becomes_the_text_a_reader_sees(markup: str, text: str) -> None:
    assert plain_text(markup) == text


def test_a_title_is_one_line() -> None:
    assert plain_line("<b>Two</b><br>lines\n  and&nbsp;more") == "Two lines and more"


def test_control_and_invisible_characters_are_stripped() -> None:
    assert clean_line(f"a\x00b\x1b[31m\u202ec\u200bd\ud800{NBSP}e\u2028f\tg") == "ab[31mcd e f g"


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert clean_line("👩\u200d💻 dev") == "👩\u200d💻 dev"


def test_highlights_go_but_angle_brackets_of_plain_text_stay() -> None:
    assert unmarked("<highlighttext>Python</highlighttext>-разработчик") == "Python-разработчик"
    assert unmarked("List<String> & R&D, AT&T") == "List<String> & R&D, AT&T"
    assert unmarked(f"C&#43;&#43;{NBSP}&amp; Go") == "C++ & Go"


@pytest.mark.parametrize(
    ("shown", "value", "is_exact"),
    [
        ("376", 376, True),
        ("+26", 26, True),
        ("-6", -6, True),
        ("\u22126", -6, True),
        ("–6", -6, True),
        ("0", 0, True),
        (" 11 ", 11, True),
        ("Комментарии 12", 12, True),
        ("3.3K", 3300, False),
        ("4,6К", 4600, False),
        ("512K+", 512_000, False),
        ("1.5M", 1_500_000, False),
        ("3\u202f692,85", 3693, False),
        ("1 204 311", 1_204_311, True),
    ],
)
def test_numbers_are_read_and_rounded_ones_are_known_as_such(shown: str, value: int, is_exact: bool) -> None:
    assert read_count(shown) == Count(value=value, is_exact=is_exact)


@pytest.mark.parametrize("shown", ["", "Читать", "K", "Всего голосов 1: ↑1 и ↓0", "…"])
def test_what_is_not_one_number_is_none(shown: str) -> None:
    assert read_count(shown) is None


def test_first_words_are_cut_between_words() -> None:
    assert first_words("Short title\nand the rest") == "Short title"
    assert first_words("word " * 50, most=22) == "word word word word…"


def test_a_body_nested_beyond_reason_is_refused_at_once() -> None:
    began = time.process_time()
    with pytest.raises(Unreadable, match="nests"):
        plain_text("<div>" * 200_000)
    assert time.process_time() - began < 5


@given(st.text())
def test_no_text_breaks_the_cleaning(text: str) -> None:
    for cleaned in (plain_text(text), unmarked(text), clean_line(text)):
        assert cleaned == cleaned.strip()
        assert "\x00" not in cleaned
        cleaned.encode()
    assert clean_line(clean_line(text)) == clean_line(text)
    read_count(text)
