"""Redirects are followed by us, hop by hop (TRUST X4)."""

from collections.abc import Iterator

import pytest

from inforadar.domain.errors import Refused
from inforadar.domain.ports import Request
from net.local_internet import Internet, LocalServer, Seen, always, out_of_content, page, redirect

ADDRESSES = {"a.test": "93.184.216.34", "b.test": "93.184.216.35", "public.test": "93.184.216.36"}
SECRET = {"Authorization": "Bearer canary", "X-Api-Key": "canary"}


def numbered(seen: Seen) -> bytes:
    """`/5` leads to `/4` and so on to `/0`, which is a page."""
    left = int(seen.target.strip("/"))
    return redirect(f"/{left - 1}") if left else page(b"the end")


@pytest.fixture
def internet() -> Internet:
    return Internet()


@pytest.fixture
def inner() -> Iterator[LocalServer]:
    """A private service that must never be asked."""
    with LocalServer(always(page(b"inner secret"))) as inner:
        yield inner


def test_the_answer_names_the_url_where_the_redirects_ended(internet: Internet) -> None:
    def authwall(seen: Seen) -> bytes:
        return page(b"log in") if seen.target.startswith("/authwall") else redirect("/authwall?trk=x")

    with LocalServer(authwall) as server, internet.client(allow=[server.url]) as client:
        answer = client.send(server.url, Request(path="/jobs"))
    assert answer.url == f"{server.url}/authwall?trk=x"
    assert answer.status == 200


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_every_kind_of_redirect_is_followed(internet: Internet, status: str) -> None:
    def once(seen: Seen) -> bytes:
        return page() if seen.target == "/new" else redirect("/new", status)

    with LocalServer(once) as server, internet.client(allow=[server.url]) as client:
        assert client.send(server.url, Request(path="/old")).url == f"{server.url}/new"


@pytest.mark.parametrize("status", ["304 Not Modified", "300 Multiple Choices"])
def test_other_three_hundreds_are_answers(internet: Internet, status: str) -> None:
    def script(seen: Seen) -> bytes:
        return f"HTTP/1.1 {status}\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n".encode()

    with LocalServer(script) as server, internet.client(allow=[server.url]) as client:
        assert client.send(server.url, Request(path="/")).status == int(status[:3])
        assert len(server.seen) == 1


def test_a_redirect_without_a_location_is_an_answer(internet: Internet) -> None:
    nowhere = always(page(b"hm", status="302 Found"))
    with LocalServer(nowhere) as server, internet.client(allow=[server.url]) as client:
        answer = client.send(server.url, Request(path="/"))
    assert (answer.status, answer.body) == (302, b"hm")


def test_five_redirects_are_followed_and_six_are_not(internet: Internet) -> None:
    with LocalServer(numbered) as server, internet.client(allow=[server.url]) as client:
        assert client.send(server.url, Request(path="/5")).body == b"the end"
        with pytest.raises(Refused, match="more than 5 redirects"):
            client.send(server.url, Request(path="/10"))
        assert len(server.seen) == 6 + 6


def test_a_public_page_cannot_redirect_into_the_private_network(internet: Internet, inner: LocalServer) -> None:
    with LocalServer(always(redirect(f"{inner.url}/admin"))) as server, internet.client() as client:
        internet.add("a.test", ADDRESSES["a.test"], server)
        with pytest.raises(Refused, match="base_url"):
            client.send("", out_of_content("http://a.test/"))
    assert inner.connections == 0


def test_an_allowed_host_cannot_redirect_to_another_private_one(internet: Internet, inner: LocalServer) -> None:
    with (
        LocalServer(always(redirect(inner.url))) as server,
        internet.client(allow=[server.url]) as client,
        pytest.raises(Refused),
    ):
        client.send(server.url, Request(path="/"))
    assert inner.connections == 0


def test_an_allowed_host_cannot_redirect_to_another_allowed_private_one(internet: Internet, inner: LocalServer) -> None:
    with (
        LocalServer(always(redirect(inner.url))) as server,
        internet.client(allow=[server.url, inner.url]) as client,
        pytest.raises(Refused),
    ):
        client.send(server.url, Request(path="/"))
    assert inner.connections == 0


def test_a_public_page_cannot_send_us_back_home_to_a_path_of_its_choice(internet: Internet) -> None:
    with LocalServer(always(redirect("http://a.test/"))) as home:
        with LocalServer(always(redirect(f"{home.url}/admin"))) as outside:
            internet.add("a.test", ADDRESSES["a.test"], outside)
            with internet.client(allow=[home.url]) as client, pytest.raises(Refused):
                client.send(home.url, Request(path="/"))
        assert [seen.target for seen in home.seen] == ["/"]


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://a.test/", "gopher://a.test/", "http://u@a.test/"])
def test_a_redirect_to_another_scheme_is_refused(internet: Internet, location: str) -> None:
    with LocalServer(always(redirect(location))) as server:
        with internet.client(allow=[server.url]) as client, pytest.raises(Refused):
            client.send(server.url, Request(path="/"))
        assert len(server.seen) == 1


def test_a_redirect_from_https_to_http_is_refused(internet: Internet) -> None:
    with (
        LocalServer(always(redirect("http://a.test/")), tls=True) as secure,
        LocalServer(always(page())) as plain,
        internet.client() as client,
    ):
        internet.add("public.test", ADDRESSES["public.test"], secure)
        internet.add("a.test", ADDRESSES["a.test"], plain)
        with pytest.raises(Refused, match="https to http"):
            client.send("", out_of_content("https://public.test/"))
        assert plain.connections == 0


def test_headers_stay_on_their_origin_and_do_not_come_back(internet: Internet) -> None:
    def a_script(seen: Seen) -> bytes:
        steps = {"/": redirect("/same"), "/same": redirect("http://b.test/"), "/back": page(b"back")}
        return steps[seen.target]

    with LocalServer(a_script) as a, LocalServer(always(redirect("http://a.test/back"))) as b:
        internet.add("a.test", ADDRESSES["a.test"], a)
        internet.add("b.test", ADDRESSES["b.test"], b)
        with internet.client(user_agent="InfoRadar/test") as client:
            assert client.send("", out_of_content("http://a.test/", SECRET)).body == b"back"
    assert [seen.headers.get("authorization") for seen in a.seen] == ["Bearer canary", "Bearer canary", None]
    assert "canary" not in str(b.seen)
    assert b.seen[0].headers["user-agent"] == "InfoRadar/test"
    assert "referer" not in b.seen[0].headers
