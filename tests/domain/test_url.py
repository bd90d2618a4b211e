"""The one form of an address."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inforadar.domain.url import normalise_url

SAME = [
    ("https://habr.com/ru/articles/133473/", "https://habr.com/ru/articles/133473"),
    (
        "HTTPS://Habr.COM:443/ru/articles/133473/?utm_source=habrahabr&utm_medium=rss#comments",
        "https://habr.com/ru/articles/133473",
    ),
    ("http://example.com:80", "http://example.com/"),
    ("http://example.com:8080/a", "http://example.com:8080/a"),
    ("https://example.com./a/./b/../c//", "https://example.com/a/c"),
    ("https://example.com/%7euser/%d0%b0b", "https://example.com/~user/%D0%B0b"),
    ("https://example.com/аb", "https://example.com/%D0%B0b"),
    ("https://example.com/a%2Fb", "https://example.com/a%2Fb"),
    ("https://example.com/100%", "https://example.com/100%25"),
    ("https://example.com/?b=2&a=1&fbclid=x&UTM_Campaign=y&a=0", "https://example.com/?a=1&a=0&b=2"),
    ("https://user:secret@example.com/a", "https://example.com/a"),
    ("https://пример.рф/", "https://xn--e1afmkfd.xn--p1ai/"),
    ("  https://example.com/a \n", "https://example.com/a"),
    ("http://[::1]:80/a", "http://[::1]/a"),
]
PIECES = st.sampled_from(
    ["http", "HTTPS", "://", "/", "//", "..", ".", "%", "%2f", "%41", "%zz", "?", "&", "=", "a", "B", "я", "#", ":",
     "80", "443", "@", "[", "]", "utm_x=1", "example.com", " ", "\ud800", "\x00", "+", "\\", "%25", "%3A", "ß", "．"]
)  # fmt: skip


@pytest.mark.parametrize(("written", "normal"), SAME)
def test_every_way_of_writing_an_address_has_one_form(written: str, normal: str) -> None:
    assert normalise_url(written) == normal


@pytest.mark.parametrize(
    "other", ["mailto:a@b.c", "not an address", "", "https://", "http://[bad/", "https://h:99999/"]
)
def test_what_is_no_web_address_comes_back_as_it_is(other: str) -> None:
    assert normalise_url(other) == other


def test_different_addresses_stay_different() -> None:
    addresses = [
        "https://a.b/x?id=1",
        "https://a.b/x?id=2",
        "http://a.b/x?id=1",
        "https://a.b/X?id=1",
        "https://a.b/x/y",
    ]
    assert len({normalise_url(address) for address in addresses}) == len(addresses)


@given(
    st.one_of(
        st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map(lambda p: "https://example.com/" + "".join(p))
    )
)
def test_normalising_twice_changes_nothing(address: str) -> None:
    once = normalise_url(address)
    assert normalise_url(once) == once


@given(st.lists(PIECES).map(lambda p: "https://h.example/" + "".join(p)))
def test_case_of_the_host_fragment_and_tracking_never_matter(address: str) -> None:
    address = address.strip()
    assume("#" not in address)
    mark = "&" if "?" in address else "?"
    dressed = address.replace("https://h.example", "HTTPS://H.Example:443", 1) + f"{mark}utm_source=rss#top"
    assert normalise_url(dressed) == normalise_url(address)
