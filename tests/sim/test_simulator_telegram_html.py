"""The HTML parse mode of the simulated Bot API: what it takes, and the words it refuses in."""

import pytest

from inforadar.simulator.telegram.html import EntityError, checked_link, parse_html


def kinds(source: str) -> list[tuple[str, int, int]]:
    return [(entity["type"], entity["offset"], entity["length"]) for entity in parse_html(source)[1]]


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("plain", "plain", []),
        ("<b>a</b><strong>b</strong>", "ab", [("bold", 0, 1), ("bold", 1, 1)]),
        ("<I>a</i> <em>b</em>", "a b", [("italic", 0, 1), ("italic", 2, 1)]),
        ("<s>a</s><strike>b</strike><del>c</del>", "abc", [("strikethrough", at, 1) for at in range(3)]),
        ("<u>a</u><ins>b</ins>", "ab", [("underline", 0, 1), ("underline", 1, 1)]),
        ("<tg-spoiler>a</tg-spoiler><span class='tg-spoiler'>b</span>", "ab", [("spoiler", 0, 1), ("spoiler", 1, 1)]),
        ("<blockquote>a</blockquote>", "a", [("blockquote", 0, 1)]),
        ("<blockquote expandable>a</blockquote>", "a", [("expandable_blockquote", 0, 1)]),
        ("😀<b>я😀</b>", "😀я😀", [("bold", 2, 3)]),
        ("<b>a<i>b</i></b>", "ab", [("bold", 0, 2), ("italic", 1, 1)]),
        ("<b></b>x", "x", []),
        (" <b> a </b> ", "a", [("bold", 0, 1)]),
        ("<b>a</>", "a", [("bold", 0, 1)]),
        ("1 &lt; 2 &gt; 0 &amp; &quot;x&quot; &#65; &#x42;", '1 < 2 > 0 & "x" A B', []),
        ("a &nbsp; b &mdash; c & d &; &#0;", "a &nbsp; b &mdash; c & d &; &#0;", []),
    ],
)
def test_what_is_taken_becomes_text_and_entities(source, text, entities):
    assert parse_html(source)[0] == text
    assert kinds(source) == entities


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>a</p>", 'Unsupported start tag "p" at byte offset 0'),
        ("я < b", 'Unsupported start tag "" at byte offset 3'),
        ("<br/>", 'Unsupported start tag "br/" at byte offset 0'),
        ("a <", "Unclosed start tag at byte offset 2"),
        ("a <b", "Unclosed start tag at byte offset 2"),
        ("<a href='x", "Unclosed start tag at byte offset 0"),
        ("я</b>", "Unexpected end tag at byte offset 2"),
        ("<b>a</b", "Unclosed end tag at byte offset 4"),
        ("<b>a</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("<b><i>a</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("<b>a", 'Can\'t find end tag corresponding to start tag "b"'),
        ("<span>a</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ("<a =x>a</a>", 'Empty attribute name in the tag "a" at byte offset 0'),
        ("<a href>a</a>", 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'),
        ("<a href=x/y>a</a>", "Unexpected end of name token at byte offset 8"),
    ],
)
def test_what_is_not_taken_is_refused_at_its_byte(source, words):
    with pytest.raises(EntityError) as refused:
        parse_html(source)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("link", "kept"),
    [
        ("https://example.org/a?b=1&amp;c=2", "https://example.org/a?b=1&c=2"),
        ("https://example.org", "https://example.org/"),
        ("example.org/x", "http://example.org/x"),
        ("tg://user?id=5", "tg://user?id=5"),
    ],
)
def test_a_link_keeps_its_address(link, kept):
    assert parse_html(f'<a href="{link}">x</a>')[1] == [{"offset": 0, "length": 1, "type": "text_link", "url": kept}]


def test_a_bad_link_is_dropped_without_an_error_and_a_bare_one_is_its_own_address():
    assert parse_html('<a href="data://">x</a>') == ("x", [])
    assert checked_link("javascript://alert(1)") is None
    assert parse_html("<a>https://example.org/1</a>")[1][0]["url"] == "https://example.org/1"


def test_code_in_pre_is_one_entity_with_its_language():
    assert parse_html('<pre><code class="language-python">x = 1</code></pre>')[1] == [
        {"offset": 0, "length": 5, "type": "pre", "language": "python"}
    ]
    assert kinds("<pre>a</pre><code>b</code>") == [("pre", 0, 1), ("code", 1, 1)]


def test_only_the_first_hundred_entities_are_kept():
    assert len(parse_html("<b>a</b> " * 120)[1]) == 100
