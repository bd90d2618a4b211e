"""Who may see and use the pages: signing in and out, forms of other sites, ways that lead away, the headers."""

import logging
import re
import socket
from collections.abc import Iterator

import httpx2
import pytest
import structlog
from structlog.testing import capture_logs

from inforadar.domain.errors import StoreError
from inforadar.interfaces.web.attempts import MOST, MOST_VISITORS, WITHIN_S, Attempts, asking_address
from inforadar.interfaces.web.guard import Visit
from inforadar.interfaces.web.pages.forms import own_path
from inforadar.interfaces.web.pages.routes import PAGES as ROUTERS
from inforadar.interfaces.web.sessions import Visitor, cookie_name, secret_of
from inforadar.store import inbox, sessions
from interfaces.api_server import Api
from interfaces.web_rig import PAGES, TOKEN, furnish_pages, proof_of, running_web

CHANGING = (
    *("/triage", "/undo", "/jobs/1/retry", "/jobs/1/cancel", "/sign-out"),
    *("/watches/new", "/watches/pause", "/watches/resume", "/watches/words", "/watches/remove"),
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def open_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A furnished page without a token."""
    with running_web(f"sqlite:///{tmp_path_factory.mktemp('open')}/radar.db") as running:
        furnish_pages(running)
        yield running


@pytest.fixture
def web(tmp_path) -> Iterator[Api]:
    """A furnished page with a token."""
    with running_web(f"sqlite:///{tmp_path}/radar.db", token=TOKEN) as running:
        furnish_pages(running)
        yield running


def sign_in(api: Api, token: str = TOKEN, **fields: str) -> httpx2.Response:
    return api.client.post("/sign-in", data={"token": token, "back": "/", **fields})


def routes() -> list[tuple[str, str]]:
    found = [(method, route.path) for router in ROUTERS for route in router.routes for method in route.methods]
    filled = [(method, re.sub(r"{name:path}", "morgan", path)) for method, path in found]
    return [(method, re.sub(r"{\w+}", "1", path)) for method, path in filled]


def test_nothing_but_the_form_is_shown_without_the_token(web):
    for method, path in [*routes(), *(("GET", path) for path in PAGES)]:
        answer = web.client.request(method, path, headers=FORM if method == "POST" else {})
        assert answer.status_code == 401, (method, path)
        assert "because" not in answer.text
        assert "set-cookie" not in answer.headers or answer.headers["set-cookie"].startswith("radar_session_")
        if method == "GET" and path not in ("/events",) and not path.startswith("/static"):
            assert 'name="token"' in answer.text


def test_a_form_that_comes_after_the_session_ended_asks_for_the_token_and_leads_back_to_its_page(web):
    sent = {"headers": {"Referer": f"{web.address}/?tab=all&text=%D1%8F"}, "data": {"verb": "applied", "match": "1:1"}}
    answer = web.client.post("/triage", **sent)
    assert answer.status_code == 401
    assert 'name="token"' in answer.text
    assert 'name="back" value="/?tab=all&amp;text=%D1%8F"' in answer.text
    for referer in ("https://evil.example//evil.example/x", "nonsense", "", "http://[", "http://a]/b"):
        answer = web.client.post("/triage", headers={"Referer": referer}, data={"verb": "applied"})
        assert answer.status_code == 401
        assert 'name="back" value="/"' in answer.text


def test_the_stream_of_what_moves_is_open_to_whoever_is_signed_in_until_the_session_ends(web):
    sign_in(web)
    page = web.client.get("/")
    with web.client.stream("GET", "/events") as stream:
        parts = stream.iter_text()
        assert "retry:" in next(parts)
        assert "data:" in next(parts)
        web.client.post("/sign-out", data={"proof": proof_of(page)})
        assert not any("data:" in part for part in parts), "it ends by itself"


def test_the_token_opens_the_pages_and_signing_out_ends_it_on_the_server(web):
    answer = sign_in(web, back="/sources")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sources")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie
    page = web.client.get("/sources")
    assert page.status_code == 200
    kept = dict(web.client.cookies)
    gone = web.client.post("/sign-out", data={"proof": proof_of(page)})
    assert gone.status_code == 303
    assert gone.headers["clear-site-data"] == '"cache"', "going back shows no page of before"
    for again in (web.client, httpx2.Client(base_url=web.address, cookies=kept)):
        assert again.get("/sources").status_code == 401
    again.close()


@pytest.mark.parametrize(("scheme", "is_secure"), [("https", True), ("http", False), (None, False)])
def test_a_session_that_began_by_https_stays_there(web, scheme, is_secure):
    host = f"127.0.0.1:{web.port}"
    headers = {"Origin": f"{scheme}://{host}"} if scheme else {"X-Forwarded-Proto": "https"}
    answer = web.client.post("/sign-in", data={"token": TOKEN}, headers=headers)
    assert answer.status_code == 303
    assert ("Secure" in answer.headers["set-cookie"].split("; ")) == is_secure


def test_a_session_outlives_the_server(tmp_path):
    url = f"sqlite:///{tmp_path}/radar.db"
    with running_web(url, token=TOKEN) as api:
        cookie = sign_in(api).headers["set-cookie"].partition(";")[0].partition("=")[2]
    with running_web(url, token=TOKEN) as api:
        name = cookie_name(f"127.0.0.1:{api.port}")
        assert api.client.get("/sources", headers={"Cookie": f"{name}={cookie}"}).status_code == 200
        assert api.client.get("/sources", headers={"Cookie": f"{name}={cookie[:-1]}x"}).status_code == 401


def test_a_changed_token_ends_every_session(tmp_path):
    url = f"sqlite:///{tmp_path}/radar.db"
    with running_web(url, token=TOKEN) as api:
        cookie = sign_in(api).headers["set-cookie"].partition(";")[0].partition("=")[2]
    for token, status in (("another token", 401), (TOKEN, 200)):
        with running_web(url, token=token) as api:
            headers = {"Cookie": f"{cookie_name(f'127.0.0.1:{api.port}')}={cookie}"}
            assert api.client.get("/sources", headers=headers).status_code == status


def test_every_sign_in_has_a_new_secret_and_the_store_has_only_a_digest(web):
    cookies = {sign_in(web).headers["set-cookie"].partition(";")[0] for _ in range(3)}
    assert len(cookies) == 3
    with web.app.database.reading() as tx:
        dump = str(tx.rows("session_find", digest="x", now=web.app.clock.now()))
    assert not any(cookie.partition("=")[2] in dump for cookie in cookies)


def test_a_wrong_token_opens_nothing_and_tries_are_counted(web):
    for wrong in ("", "x", TOKEN + "x", TOKEN[:-1]):
        answer = sign_in(web, wrong)
        assert answer.status_code == 401
        assert "That is not the token" in answer.text
    answers = [sign_in(web, "x").status_code for _ in range(MOST)]
    assert answers[-1] == 429
    assert sign_in(web).status_code == 429, "the right token too, else guessing would go on"


def test_the_count_of_tries_forgets_in_time_and_grows_without_no_bound():
    class Clock:
        at = 0.0

        def mono(self):
            return self.at

    clock = Clock()
    attempts = Attempts(clock)
    assert [attempts.wait_s("a") for _ in range(MOST)] == [0.0] * MOST
    assert attempts.wait_s("a") == WITHIN_S
    assert attempts.wait_s("b") == 0
    clock.at = WITHIN_S
    assert attempts.wait_s("a") == 0
    for n in range(MOST_VISITORS * 2):
        attempts.wait_s(str(n))
    assert len(attempts._tries) <= MOST_VISITORS


def test_the_cookie_changes_nothing_over_the_rest_api(web):
    sign_in(web)
    assert web.client.get("/api/items").status_code == 200
    marked = web.client.post("/api/items/mark", json={"ids": [1], "verb": "applied"})
    assert marked.status_code == 401


@pytest.mark.parametrize("path", CHANGING)
def test_a_form_needs_the_proof(open_web, path):
    fields = {"verb": "applied", "match": "1:3"}
    own = proof_of(open_web.client.get("/jobs"))
    for proof in ("", "x", own[:-1], own.upper()):
        answer = open_web.client.post(path, data={**fields, "proof": proof})
        assert answer.status_code == 403, proof
    with httpx2.Client(base_url=open_web.address) as other:
        assert other.post(path, data={**fields, "proof": own}).status_code == 403, "of another visitor"
    assert open_web.get("/api/items/1").json()["status"] == "ANALYZED"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_is_refused_even_with_the_proof(open_web, headers):
    proof = proof_of(open_web.client.get("/jobs"))
    for path in (*CHANGING, "/sign-in"):
        sent = {"verb": "applied", "match": "1:3", "proof": proof}
        assert open_web.client.post(path, data=sent, headers=headers).status_code == 403


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
def test_only_a_form_is_a_form(open_web, kind):
    for path in (*CHANGING, "/sign-in"):
        answer = open_web.client.post(path, content=b"verb=applied&match=1:3", headers={"Content-Type": kind})
        assert answer.status_code == 415


@pytest.mark.parametrize("body", [b"\xff\xfe", b"&".join([b"a=1"] * 3000), b"%zz=1", b""])
def test_a_broken_form_is_no_server_error(open_web, body):
    answer = open_web.client.post("/triage", content=body, headers=FORM)
    assert answer.status_code in (400, 403)


def test_no_get_changes_anything(open_web):
    before = open_web.get("/api/items/1").json()
    for _method, path in routes():
        if path != "/events":
            open_web.client.get(path, params={"verb": "applied", "match": "1:3"})
    assert open_web.get("/api/items/1").json() == before
    assert {method for method, _ in routes()} <= {"GET", "POST"}


@pytest.mark.parametrize(
    "path",
    [
        *("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "", "evil", "/\t/evil"),
        *("\\\\evil", "/%0d%0aSet-Cookie:a=b\r\n", "/a\nb", "///x", "/x\\y", "/ü"),
    ],
)
def test_nobody_is_led_to_another_site(path):
    assert own_path(path) == "/"


@pytest.mark.parametrize("path", ["/", "/items/1", "/?tab=later&text=a%20b", "/why?q=https://x.example/"])
def test_our_own_pages_are_gone_back_to(path):
    assert own_path(path) == path


def test_a_sign_in_leads_to_no_other_site(web):
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        assert sign_in(web, back=back).headers["location"] == "/"


def test_every_answer_has_a_policy_and_pages_have_a_nonce_of_their_own(open_web):
    asked = [*PAGES, "/nope", "/items/999", "/?tab=x", "/items/x", "/jobs/0", "/static/x/radar.css", "/static/x/y"]
    nonces = set()
    for path in (*asked, "/sign-in"):
        answer = open_web.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'"), path
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] in ("no-referrer", "same-origin")
        assert "frame-ancestors 'none'" in policy
        if answer.headers.get("content-type", "").startswith("text/html"):
            nonce = re.search(r"script-src 'nonce-([\w-]+)'", policy)[1]
            assert answer.text.count(f'nonce="{nonce}"') >= 2
            nonces.add(nonce)
    assert len(nonces) > len(PAGES)
    for path in CHANGING:
        for sent in ({"proof": "x"}, {}):
            assert "default-src 'none'" in open_web.client.post(path, data=sent).headers["content-security-policy"]


def test_every_kind_of_error_has_a_policy(open_web, monkeypatch):
    client, proof = open_web.client, proof_of(open_web.client.get("/jobs"))

    def fail(*_args: object, **_more: object) -> None:
        raise ZeroDivisionError

    answers = [
        client.get("/items/999"),
        client.get("/?tab=x"),
        client.get("/", headers={"Host": "evil.example"}),
        client.get("/triage"),
        client.post("/triage", data={"proof": proof}, headers={"Origin": "http://evil.example"}),
        client.post("/triage", content=b"x" * 70_000, headers=FORM),
        client.post("/triage", content=b"{}", headers={"Content-Type": "text/plain"}),
        client.post("/triage", content=b"\xff\xfe", headers=FORM),
        client.post("/undo", data={"proof": proof, "act": "99"}),
        client.post("/jobs/1/cancel", data={"proof": proof}),
        client.post("/watches/pause", data={"proof": proof, "watch": "w"}),
    ]
    monkeypatch.setattr(inbox, "page", fail)
    answers.append(client.get("/"))
    monkeypatch.setattr(inbox, "page", lambda *_args, **_more: (_ for _ in ()).throw(StoreError("gone")))
    answers.append(client.get("/"))
    assert {one.status_code for one in answers} >= {400, 403, 404, 405, 409, 413, 415, 421, 422, 500, 503}
    for one in answers:
        assert one.headers["content-security-policy"].startswith("default-src 'none'"), one.status_code
        assert one.headers["x-content-type-options"] == "nosniff"


def test_errors_are_pages_for_people_and_problems_for_programs(open_web):
    page = open_web.client.get("/items/999")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is no match 999." in page.text
    program = open_web.client.get("/items/999", headers={"Accept": "*/*"})
    assert program.headers["content-type"] == "application/problem+json"
    assert open_web.client.get("/api/items/999").headers["content-type"] == "application/problem+json"


def test_a_person_is_told_what_to_do_while_the_database_does_not_answer(open_web, monkeypatch):
    monkeypatch.setattr(inbox, "page", lambda *_args, **_more: (_ for _ in ()).throw(StoreError("gone")))
    page = open_web.client.get("/")
    assert page.status_code == 503
    assert "radar doctor" in page.text


def test_whoever_is_signed_in_gets_a_page_too_while_the_database_does_not_answer_and_stays_so(web, monkeypatch):
    sign_in(web)
    with monkeypatch.context() as away:
        away.setattr(sessions, "is_live", lambda *_args: (_ for _ in ()).throw(StoreError("gone")))
        page, program = web.client.get("/"), web.client.get("/api/items")
    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert "radar doctor" in page.text
    assert "set-cookie" not in page.headers
    assert (program.status_code, program.headers["content-type"]) == (503, "application/problem+json")
    assert "Sign out" in web.client.get("/").text


def test_a_cookie_that_is_none_of_ours_is_no_secret():
    for cookie in (
        "",
        "radar_session_80=",
        "radar_session_80=short",
        f"radar_session_80={'a' * 44}",
        "x=y; ;;=",
        "\xff",
    ):
        headers = [(b"host", b"localhost"), (b"cookie", cookie.encode("latin-1"))]
        assert secret_of(Visit(method="GET", path="/", headers=headers)) is None
    secret = "a" * 43
    headers = [(b"host", b"localhost"), (b"cookie", f"radar_session_80={secret}".encode())]
    assert secret_of(Visit(method="GET", path="/", headers=headers)) == secret
    assert cookie_name("localhost:8765") != cookie_name("localhost:8766")


@pytest.mark.parametrize(
    "other",
    ['prefs={"a": "b,c"}', "x=[1,2]", "a b=1", 'theme="dark', "=x", "k=v; Path", "a@b=1", 'n=a"b', "Ω=1", ";;x"],
)
def test_cookies_that_other_servers_set_on_this_machine_break_no_form(open_web, other):
    page = open_web.client.get("/jobs")
    name = cookie_name(f"127.0.0.1:{open_web.port}")
    own = f"{name}={open_web.client.cookies[name]}"
    for cookies in (f"{other}; {own}", f"{own}; {other}", f"{name}=x;{own}"):
        headers = {"Accept": "text/html", "Cookie": cookies.encode()}
        with httpx2.Client(base_url=open_web.address, headers=headers) as visitor:
            assert visitor.post("/undo", data={"proof": proof_of(page), "act": "99"}).status_code == 404, cookies


@pytest.mark.parametrize("days", ["0000000019999999999", "0" * 8 + "1" + "9" * 5000, "3651", "٣"])
def test_an_age_nobody_can_mean_is_no_server_error(open_web, days):
    assert open_web.client.get("/", params={"days": days}).status_code == 422


def test_whoever_leaves_in_the_middle_of_a_form_is_one_line_in_the_log(open_web):
    head = f"POST /triage HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {FORM['Content-Type']}\r\nContent-Length: 50\r\n"
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    with capture_logs() as told:
        with socket.create_connection(("127.0.0.1", open_web.port), timeout=10) as line:
            line.sendall(f"{head}\r\nab".encode())
        for _ in range(100):
            if any("left" in one["event"] for one in told):
                break
            open_web.client.get("/jobs")
    assert [(one["log_level"], one["path"], "exc_info" in one) for one in told] == [("info", "/triage", False)]


def test_a_proof_is_of_one_visitor():
    one, other = (Visitor(secret=secret * 43, is_new=False) for secret in "ab")
    assert one.has_proof(one.proof)
    assert not one.has_proof(other.proof)
    assert not Visitor(secret="a" * 43, is_new=True).has_proof(one.proof)


PROXIES = ("127.0.0.1", "2001:db8::1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "asking"),
    [
        ("127.0.0.1", [b"203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", [b"10.0.0.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", [b"198.51.100.1", b"203.0.113.9"], "203.0.113.9"),
        ("2001:db8::1", [b"2001:db8:5::7"], "2001:db8:5::7"),
        ("::ffff:127.0.0.1", [b"203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", [b"203.0.113.9:4711"], "203.0.113.9"),
        ("127.0.0.1", [b"10.0.0.1, [2001:db8:5::7]:4711"], "2001:db8:5::7"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", [b""], "127.0.0.1"),
        ("127.0.0.1", [b"203.0.113.9, nonsense"], "127.0.0.1"),
        ("127.0.0.1", [b"203.0.113.9,"], "127.0.0.1"),
        ("127.0.0.2", [b"203.0.113.9"], "127.0.0.2"),
        ("2001:db8::2", [b"203.0.113.9"], "2001:db8::2"),
        ("nobody", [b"203.0.113.9"], "nobody"),
        ("", [b"203.0.113.9"], ""),
    ],
)
def test_who_asks_is_what_a_trusted_proxy_says_last(peer, forwarded, asking):
    assert asking_address(peer, forwarded, PROXIES) == asking
    assert asking_address(peer, forwarded, ()) == peer


@pytest.mark.parametrize("is_trusted", [True, False])
def test_wrong_tokens_behind_a_trusted_proxy_shut_out_their_sender_alone(tmp_path, is_trusted):
    proxies = 'trusted_proxies = ["127.0.0.1"]' if is_trusted else ""
    with running_web(f"sqlite:///{tmp_path}/radar.db", token=TOKEN, web=proxies) as api:
        wrong = {"Authorization": "Bearer wrong", "X-Forwarded-For": "203.0.113.9"}
        assert {api.client.get("/api/status", headers=wrong).status_code for _ in range(MOST)} == {401}
        assert api.client.get("/api/status", headers=wrong).status_code == 429
        right = {"Authorization": f"Bearer {TOKEN}".encode(), "X-Forwarded-For": "198.51.100.1"}
        assert api.client.get("/api/status", headers=right).status_code == (200 if is_trusted else 429)
        signed = api.client.post("/sign-in", data={"token": TOKEN}, headers={"X-Forwarded-For": "198.51.100.1"})
        assert signed.status_code == (303 if is_trusted else 429)
