"""Which URLs are asked at all, and how they are put together."""

import pytest

from inforadar.domain.errors import Refused
from inforadar.domain.ports import Request
from inforadar.net.urls import Origin, origin, parse_url, redirect_url, request_url

REFUSED = [
    "http://169.254.169.254:8888\\@example.org/",
    "http://example.org\\@127.0.0.1/",
    "http://user@example.org/",
    "http://user:secret@example.org/",
    "http://@example.org/",
    "http://example.org:80@127.0.0.1/",
    " http://example.org/",
    "http://example.org/ ",
    "http://exa mple.org/",
    "http://example.org/a\tb",
    "http://example.org/a\r\nX: y",
    "http://example.org/\x00",
    "http://example.org/\x7f",
    "http://example.org/\u00a0",
    "http://example.org/\u2028",
    "http://example.org/\u202e",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "source:file:///etc/passwd",
    "ftp://example.org/",
    "gopher://example.org/",
    "javascript:alert(1)",
    "data:text/plain,hi",
    "//example.org/",
    "example.org",
    "",
    "http:",
    "http://",
    "http:///path",
    "http:/example.org/",
    "http://:80/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127.0.0.1%2f.example.org/",
    "http://%31%32%37.0.0.1/",
    "http://256.0.0.1/",
    "http://example.org:99999/",
    "http://example.org:0/",
    "http://example.org:8_0/",
    "http://example.org:٨٠/",
    "http://example.org:-1/",
    "http://example.org:80:80/",
    "http://[::1/",
    "http://[::1]evil/",
    "http://[fe80::1%25eth0]/",
    "http://[v1.x]/",
    "http://exa<mple.org/",
    "http://example.org/" + "a" * 9000,
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_url_that_two_parsers_could_read_differently_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        parse_url(text)


@pytest.mark.parametrize("text", ["http://user:secret@example.org/", "https://@example.org?x"])
def test_a_url_with_a_password_is_told_so_without_it(text: str) -> None:
    with pytest.raises(Refused, match="user name or password") as caught:
        parse_url(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://example.org", Origin("http", "example.org", 80)),
        ("HTTPS://Example.ORG/a?b=@c", Origin("https", "example.org", 443)),
        ("https://example.org:8443/a", Origin("https", "example.org", 8443)),
        ("http://example.org?x=http://user@b/", Origin("http", "example.org", 80)),
        ("http://[2606:4700::1]:81/", Origin("http", "2606:4700::1", 81)),
        ("https://пример.рф/статья", Origin("https", "xn--e1afmkfd.xn--p1ai", 443)),
        ("http://127。0。0。1/", Origin("http", "127.0.0.1", 80)),
        ("http://my_host.lan/", Origin("http", "my_host.lan", 80)),
    ],
)
def test_the_origin_is_what_will_be_dialled(text: str, expected: Origin) -> None:
    assert origin(parse_url(text)) == expected


@pytest.mark.parametrize(
    ("base_url", "request_", "expected"),
    [
        ("https://api.hh.ru", Request(path="/vacancies"), "https://api.hh.ru/vacancies"),
        ("https://api.hh.ru/", Request(path="vacancies"), "https://api.hh.ru/vacancies"),
        ("http://127.0.0.1:9/hh/", Request(path="/vacancies"), "http://127.0.0.1:9/hh/vacancies"),
        ("http://h", Request(path="/a", params=(("x", "1"), ("x", "2"))), "http://h/a?x=1&x=2"),
        ("http://h", Request(path="/a", params=(("t", "a b&c=д"),)), "http://h/a?t=a+b%26c%3D%D0%B4"),
        ("http://h", Request(path="/a?y=0", params=(("x", "1"),)), "http://h/a?y=0&x=1"),
        ("http://h", Request(path="//evil.example/x"), "http://h/evil.example/x"),
        ("http://h", Request(path="@evil.example/x"), "http://h/@evil.example/x"),
        ("http://h", Request(path="http://evil.example/"), "http://h/http://evil.example/"),
        ("http://h", Request(path=":81/x"), "http://h/:81/x"),
    ],
)
def test_a_request_never_leaves_its_base_url(base_url: str, request_: Request, expected: str) -> None:
    assert str(request_url(base_url, request_)) == expected


@pytest.mark.parametrize("base_url", ["http://h/?x=1", "http://h/#x", "http://h/?", "http://", "ftp://h", ""])
def test_an_odd_base_url_is_refused(base_url: str) -> None:
    with pytest.raises(Refused):
        request_url(base_url, Request(path="/a"))


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("/b", "https://a.example/b"),
        ("b?x=1", "https://a.example/dir/b?x=1"),
        ("//b.example/c", "https://b.example/c"),
        ("https://b.example/", "https://b.example/"),
        ("/путь", "https://a.example/%D0%BF%D1%83%D1%82%D1%8C"),
    ],
)
def test_a_redirect_is_read_relative_to_where_it_came_from(location: str, expected: str) -> None:
    assert str(redirect_url(parse_url("https://a.example/dir/page"), location)) == expected


@pytest.mark.parametrize(
    "location",
    [
        "http://a.example/",
        "file:///etc/passwd",
        "ftp://a.example/",
        "gopher://a.example/",
        " /b",
        "/b\t",
        "https://b.example\\@a.example/",
        "https://u:p@b.example/",
    ],
)
def test_a_redirect_that_must_not_be_followed_is_refused(location: str) -> None:
    with pytest.raises(Refused):
        redirect_url(parse_url("https://a.example/dir/page"), location)


def test_a_refusal_does_not_quote_the_secret_in_the_url() -> None:
    with pytest.raises(Refused) as caught:
        parse_url("http://xn--\u2460/?token=canary")
    assert "canary" not in repr(caught.value)
    assert caught.value.__suppress_context__
