"""What a page offers to collect: itself, its feeds, a company's board; whatever the page holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.errors import Unreadable
from inforadar.domain.ports import Answer
from inforadar.sources.feed_links import offers

PAGE = "https://example.org/blog/"
RSS = b'<?xml version="1.0"?><rss version="2.0"><channel><title>x</title></channel></rss>'


def found(html: str, kind: str = "text/html", status: int = 200) -> list[tuple[str, object]]:
    answer = Answer(status=status, headers={"content-type": kind}, body=html.encode(), url=PAGE)
    return [(one.source, next(iter(one.params.values()))) for one in offers(PAGE, answer)]


def link(href: str, kind: str = "application/rss+xml", rel: str = "alternate") -> str:
    return f'<link rel="{rel}" type="{kind}" href="{href}">'


def test_a_feed_is_offered_at_its_own_address():
    assert found(RSS.decode(), "application/xml") == [("feed", PAGE)]


@pytest.mark.parametrize(
    "kind", ["application/rss+xml", "Application/Atom+XML; charset=utf-8", "application/feed+json"]
)
def test_links_to_feeds_are_found_wherever_they_point(kind):
    assert found(f"<html>{link('/a.xml', kind)}") == [("feed", "https://example.org/a.xml")]
    assert found(f"<html>{link('b.xml', kind)}") == [("feed", "https://example.org/blog/b.xml")]


@pytest.mark.parametrize(
    "html",
    [
        link("/a.css", "text/css", "stylesheet"),
        link("/es/", "text/html"),
        link("javascript:alert(1)"),
        link("file:///etc/passwd"),
        link("http://[bad"),
        "<p>hello</p>",
        "",
    ],
)
def test_other_links_offer_nothing(html):
    assert found(f"<html>{html}") == []


@pytest.mark.parametrize(
    "href",
    [
        "http://127.0.0.1/a.xml",
        "http://localhost:8000/a.xml",
        "//10.0.0.5/a.xml",
        "http://[::1]/a.xml",
        "http://[::ffff:192.168.1.1]/a.xml",
        "http://2130706433/a.xml",
        "http://nas.local/a.xml",
        "http://printer/a.xml",
    ],
)
def test_a_page_offers_no_feed_inside_a_private_network(href):
    with pytest.raises(Unreadable, match="private network"):
        found(f"<html>{link(href)}")
    assert found(f"<html>{link(href)}{link('/a.xml')}") == [("feed", "https://example.org/a.xml")]


def test_a_page_in_the_users_own_network_offers_feeds_of_its_own_host_and_port_alone():
    home = "http://192.168.1.5:8080/blog"

    def offered(href, named=home):
        body = f"<html>{link(href)}".encode()
        answer = Answer(status=200, headers={"content-type": "text/html"}, body=body, url=home)
        return [one.params["url"] for one in offers(named, answer)]

    assert offered("/a.xml") == ["http://192.168.1.5:8080/a.xml"]
    for href, named in (("http://192.168.1.5/a.xml", home), ("http://192.168.1.6:8080/a.xml", home), ("/a.xml", PAGE)):
        with pytest.raises(Unreadable, match="private network"):
            offered(href, named)


def test_a_board_inside_the_page_comes_before_its_feeds_and_a_mere_link_after():
    inside = '<iframe src="https://boards.greenhouse.io/embed/job_board?for=acme"></iframe>'
    assert found(f"<html>{link('/a.xml')}{inside}")[0] == ("greenhouse", "acme")
    beside = '<a href="https://jobs.lever.co/acme">Careers</a>'
    assert found(f"<html>{beside}{link('/a.xml')}") == [("feed", "https://example.org/a.xml"), ("lever", "acme")]


def test_an_offer_is_named_once_and_a_page_that_is_not_there_offers_nothing():
    assert len(found(f"<html>{link('/a.xml') * 3}")) == 1
    assert found(f"<html>{link('/a.xml')}", status=404) == []


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["text/html", "application/xml", ""]))
def test_no_page_is_too_strange(body, kind):
    offers(PAGE, Answer(status=200, headers={"content-type": kind}, body=b"<html>" + body, url=PAGE))
