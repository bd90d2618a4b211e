"""Requests with an address of their own: the user may name a private place, content and public names may not."""

from collections.abc import Iterator

import pytest

from inforadar.assembly.addresses import own_base_urls
from inforadar.bootstrap import known_sources
from inforadar.config import load
from inforadar.domain.errors import Refused
from inforadar.domain.ports import Request
from inforadar.net.http import HttpClient
from inforadar.net.urls import is_local
from net.local_internet import LocalServer, WallClock, always, page

CONFIG = """
[store]
url = "sqlite:///radar.db"
[[watch]]
name = "news"
kind = "article"
  [[watch.query]]
  source = "feed"
  params = { url = "http://192.168.1.5:8080/feed.xml" }
  [[watch.query]]
  source = "feed"
  params = { url = "https://blog.example.org/feed" }
"""


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(always(page())) as server:
        yield server


def test_an_address_the_user_wrote_is_asked_even_in_a_private_network(server):
    url = f"http://127.0.0.1:{server.port}/feed?a=b"
    with HttpClient(clock=WallClock(), allow=[url]) as client:
        answer = client.send("https://feeds.invalid", Request(url=url))
    assert (answer.status, server.seen[0].target) == (200, "/feed?a=b")


def test_an_address_nobody_wrote_is_not(server):
    with HttpClient(clock=WallClock()) as client, pytest.raises(Refused):
        client.send("https://feeds.invalid", Request(url=f"http://127.0.0.1:{server.port}/feed"))
    assert server.connections == 0


def test_content_never_leads_into_a_private_network_not_even_to_a_place_the_user_wrote(server):
    url = f"http://127.0.0.1:{server.port}/"
    with HttpClient(clock=WallClock(), allow=[url]) as client, pytest.raises(Refused):
        client.send(url, Request(url=f"{url}admin", is_from_content=True))
    assert server.connections == 0


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x.test/", "https://me:pw@x.test/", "feed", "//x.test/"])
def test_other_addresses_are_not_asked(url):
    with HttpClient(clock=WallClock()) as client, pytest.raises(Refused):
        client.send("https://feeds.invalid", Request(url=url))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8000/feed", True),
        ("http://[::1]/feed", True),
        ("http://192.168.1.5/feed", True),
        ("http://nas/feed", True),
        ("http://localhost/feed", True),
        ("http://nas.local/feed", True),
        ("http://wiki.lan/feed", True),
        ("https://blog.example.org/feed", False),
        ("https://93.184.216.34/feed", False),
        ("https://local.example.org/", False),
        ("/news.rss", False),
        ("None", False),
        ("http://[::1", False),
    ],
)
def test_only_what_is_local_by_its_own_name_is_meant_to_be_private(url, local):
    assert is_local(url) is local


def test_of_the_feeds_in_a_configuration_only_the_local_ones_may_be_private(tmp_path):
    path = tmp_path / "radar.toml"
    path.write_text(CONFIG)
    config = load(path, known_sources(), {})
    assert own_base_urls(config, known_sources()) == ["http://192.168.1.5:8080/feed.xml"]


def test_of_the_json_lists_too_only_the_local_ones_may_be_private(tmp_path):
    path = tmp_path / "radar.toml"
    query = '[[watch.query]]\nsource = "rest"\nparams = {{ url = "{url}", list = "l", id = "id", title = "t" }}\n'
    urls = ("http://rebind.example:8480/x", "http://10.0.0.5:8080/x", "http://nas.lan/x")
    path.write_text('[[watch]]\nname = "w"\nkind = "article"\n' + "".join(query.format(url=url) for url in urls))
    config = load(path, known_sources(), {})
    assert own_base_urls(config, known_sources()) == ["http://10.0.0.5:8080", "http://nas.lan"]
