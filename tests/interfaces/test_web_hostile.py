"""Texts of strangers in every field of every template: nothing appears on a page that the template did not write."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from importlib.resources import files
from typing import Any

import pytest
from jinja2.runtime import Context
from markupsafe import Markup
from selectolax.lexbor import LexborHTMLParser

from inforadar.interfaces.web.pages.rendering import environment
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.api_server import Api
from interfaces.command_line import COUNTS, NOON
from interfaces.hostile_texts import HOSTILE
from interfaces.web_rig import PAGES, TOKEN, furnish_pages, proof_of, running_web

ASKED = (*PAGES, "/watches/remove?watch=w", "/no/such/page")
TEMPLATES = files("inforadar.interfaces.web") / "templates"
# What is ours: made for one answer, code, or one of a few words that the store itself checks.
KEPT = frozenset({"nonce", "proof", "asset_url", "asset_text", "money", "basis_words", "basis"})
# Texts that only sit in an attribute that holds an address.
ADDRESSES = (
    *(
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:1",
    ),
    *("data:text/html,<script>alert(1)</script>", "vbscript:x", "//evil.example/x", "file:///etc/passwd", "blob:x"),
    *('https://evil.example/" onclick="alert(1)', "http://a.example/<script>", "https://user:pw@evil.example/"),
)
# Pages that answer a form: a look at an address with much that it does not know, and a trial of ban words.
ANSWERS = (
    (
        "/watches/new",
        {"url": "https://habr.com/ru/hubs/python/articles/?strange=1", "act": "look", "words": "re:[а-я]"},
    ),
    ("/watches/words", {"watch": "w", "words": "python\nnothing"}),
)
Signature = tuple[str, str, frozenset[str]]


def poisoned(value: Any, text: str) -> Any:
    """The value with this text in place of every text in it, names included."""
    if isinstance(value, Markup | Enum):
        return value
    if isinstance(value, str):
        return text
    if is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in fields(value) if one.init and one.name not in KEPT]
        return replace(value, **{name: poisoned(getattr(value, name), text) for name in names})
    if isinstance(value, Mapping):
        return {poisoned(name, text): poisoned(part, text) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(poisoned(part, text) for part in value)
    return value


class Poison:
    """While one is in the air, every template gets its text for every value."""

    text: str | None = None


class PoisonedContext(Context):
    """What a template sees."""

    def __init__(self, environment: Any, parent: dict[str, Any], *rest: Any, **more: Any) -> None:
        if Poison.text is not None:
            own = {name: poisoned(value, Poison.text) for name, value in parent.items() if name not in KEPT}
            parent = parent | own
        super().__init__(environment, parent, *rest, **more)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A furnished page whose templates can be poisoned."""
    usual = environment().context_class
    folder = tmp_path_factory.mktemp("web")
    with (
        Simulator(still_world(1, NOON, COUNTS)) as simulator,
        running_web(
            f"sqlite:///{folder}/radar.db",
            file=folder / "radar.toml",
            extra=f'[sources.habr]\nbase_url = "{simulator.base_urls["habr"]}"\nrate_limit_per_minute = 6000\n',
        ) as running,
    ):
        furnish_pages(running)
        environment().context_class = PoisonedContext
        yield running
        environment().context_class = usual
        Poison.text = None


def made_with(api: Api, path: str, text: str | None, sent: Mapping[str, str] | None = None) -> str:
    proof = proof_of(api.client.get("/jobs")) if sent else ""
    Poison.text = text
    try:
        answer = api.client.post(path, data={**sent, "proof": proof}) if sent else api.client.get(path)
    finally:
        Poison.text = None
    assert answer.status_code in (200, 404), (path, text, answer.text)
    return answer.text


def signatures(page: str) -> set[Signature]:
    """Every element with its parent and the names of its attributes, as a browser reads the page."""
    found = LexborHTMLParser(page).css("*")
    return {(one.parent.tag if one.parent else "", one.tag, frozenset(one.attributes)) for one in found}


def assert_harmless(page: str, usual: set[Signature], scripts: int, about: object) -> None:
    tree = LexborHTMLParser(page)
    assert signatures(page) <= usual, (about, signatures(page) - usual)
    assert len(tree.css("script")) == scripts, about
    assert not tree.css("style, iframe, object, embed, base, img, [style], [srcdoc], [formaction]"), about
    for one in tree.css("script"):
        assert one.text() == ""
        assert (one.attributes["src"] or "").startswith("/static/"), about
    for name in ("href", "action", "src"):
        for one in tree.css(f"[{name}]"):
            target = one.attributes[name] or ""
            is_own = target == "" or (target[0] in "/?#" and target[1:2] not in ("/", "\\"))
            assert is_own or (one.tag == "a" and target.startswith(("http://", "https://"))), (about, target)
            assert is_own or "noopener" in (one.attributes["rel"] or ""), (about, target)


@pytest.mark.parametrize("path", ASKED)
def test_no_text_becomes_an_element_an_attribute_a_script_or_a_style(api, path):
    plain = [made_with(api, path, text) for text in (None, "plain words", "https://example.com/x")]
    usual = set[Signature]().union(*map(signatures, plain))
    scripts = len(LexborHTMLParser(plain[0]).css("script"))
    for text in (*HOSTILE, *ADDRESSES):
        assert_harmless(made_with(api, path, text), usual, scripts, (path, text))


@pytest.mark.parametrize(("path", "sent"), ANSWERS)
def test_no_text_becomes_anything_in_a_page_that_answers_a_form(api, path, sent):
    plain = [made_with(api, path, text, sent) for text in (None, "plain words", "https://example.com/x")]
    usual = set[Signature]().union(*map(signatures, plain))
    assert "would" in plain[0]
    for text in (*HOSTILE, *ADDRESSES):
        assert_harmless(made_with(api, path, text, sent), usual, 1, (path, text))


def test_there_are_enough_hostile_texts():
    assert len(set(HOSTILE)) >= 60


def test_every_template_is_looked_at(api):
    seen: set[str] = set()
    loader = environment().loader
    assert loader is not None

    class Seeing(PoisonedContext):
        def __init__(self, environment, parent, name, *rest, **more):
            seen.add(name)
            super().__init__(environment, parent, name, *rest, **more)

    environment().context_class = Seeing
    for path in ASKED:
        api.client.get(path)
    for path, sent in ANSWERS:
        made_with(api, path, None, sent)
    environment().context_class = PoisonedContext
    assert seen | {"frame.html", "sign_in.html", "card.html", "story.html"} == set(loader.list_templates())


def test_the_sign_in_page_is_as_safe(tmp_path):
    with running_web(f"sqlite:///{tmp_path}/radar.db", token=TOKEN) as api:
        environment().context_class = PoisonedContext
        try:
            usual = signatures(made_of(api, "plain words"))
            for text in (*HOSTILE, *ADDRESSES):
                page = made_of(api, text)
                assert signatures(page) <= usual, text
                assert len(LexborHTMLParser(page).css("style")) == 1
        finally:
            environment().context_class = Context


def made_of(api: Api, text: str) -> str:
    Poison.text = text
    try:
        return api.client.get("/").text
    finally:
        Poison.text = None


@pytest.mark.parametrize("text", HOSTILE)
def test_an_address_that_echoes_is_escaped_too(api, text):
    for path, name in (("/", "text"), ("/", "watch"), ("/why", "q"), ("/runs", "query"), ("/", "tab"), ("/", "score")):
        answer = api.client.get(path, params={name: text})
        tree = LexborHTMLParser(answer.text)
        assert len(tree.css("script")) == 1
        assert not tree.css("img, iframe, style, [onerror], [onload]")
        assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_path_that_is_nowhere_is_not_echoed(api, text):
    answer = api.client.get("/" + "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "replace")))
    assert answer.status_code in (404, 405)
    assert len(LexborHTMLParser(answer.text).css("script")) == 1


def test_no_template_marks_anything_as_safe_and_every_attribute_is_quoted():
    for template in TEMPLATES.iterdir():
        text = template.read_text(encoding="utf-8")
        for word in ("|safe", "| safe", "autoescape", "Markup", "xmlattr", "style=", " on"):
            marks = [line for line in text.splitlines() if word in line]
            if word == " on":
                marks = [line for line in marks if any(f" on{event}=" in line for event in ("click", "load", "error"))]
            assert not marks, (template.name, marks)
        assert not re.search(r"\s[\w-]+={{", text), template.name
        assert environment().autoescape is True
