"""How one `rest` query asks and reads its list: the user's parameters, checked, as one value."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from inforadar.domain.ports import ParamRule
from inforadar.sources.reading import param_values, unknown_params
from inforadar.sources.rest_paths import Steps, parse_path

PageKind = Literal["page", "offset", "cursor", "link", "none"]

PAGE_KINDS: tuple[PageKind, ...] = ("page", "offset", "cursor", "link", "none")
ORDERS = ("newest", "none")
PAGE_PARAMS: Mapping[PageKind, str] = {"page": "page", "offset": "offset", "cursor": "cursor", "link": "", "none": ""}
PATHS = ("list", "id", "title", "date", "total", "next")
LARGEST_SIZE, DEFAULT_SIZE = 1000, 20
LONGEST_PLACE = 120
WRITTEN_DATES = ("iso", "unix", "unix_ms")
RESERVED_FIELDS = frozenset(("title", "url", "key", "bumped_at", "full_text_state"))
PARAM_RULES: Mapping[str, ParamRule] = {
    "url": ParamRule(),
    "query": ParamRule(),
    "headers": ParamRule(),
    "token_header": ParamRule(),
    "token_param": ParamRule(),
    "list": ParamRule(),
    "id": ParamRule(),
    "title": ParamRule(),
    "link": ParamRule(),
    "date": ParamRule(),
    "date_format": ParamRule(default="iso"),
    "fields": ParamRule(),
    "total": ParamRule(),
    "page": ParamRule(default="none"),
    "page_param": ParamRule(),
    "size_param": ParamRule(),
    "page_size": ParamRule(default=DEFAULT_SIZE),
    "first_page": ParamRule(default=1),
    "next": ParamRule(),
    "stable": ParamRule(default=False),
    "order": ParamRule(),
}

_FIELD = re.compile(r"[a-z][a-z0-9_]{0,40}")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
_SECRET_NAME = re.compile(
    r"authori[sz]ation|cookie|token|secret|passw(?:or)?d|(?:api|app|access|auth|client|private|subscription)[-_]?key"
    r"|^(?:x[-_])?(?:key|o?auth|pwd)$",
    re.IGNORECASE,
)
_ODD = re.compile(r"[\s\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One list: where it is asked, how it pages, where its entries and their fields stand.

    `origin` None = under the source's base_url. `link` is a path or an address with {id}. `is_stable`: a cursor, or the
    next link, names an entry and not a number, so that it leads on from there whatever comes and goes.
    """

    origin: str | None
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, str]
    token_header: str
    token_param: str
    list: Steps
    id: Steps
    title: Steps
    link: Steps | str | None
    date: Steps | None
    date_format: str
    fields: Mapping[str, Steps]
    total: Steps | None
    page: PageKind
    page_param: str
    size_param: str
    page_size: int
    first_page: int
    next: Steps | None
    is_stable: bool
    is_ordered: bool

    @property
    def is_followed(self) -> bool:
        """Whether each page tells how the next one is asked for."""
        return self.page in ("cursor", "link")

    @property
    def address(self) -> str:
        """The list's own address, for links that are relative to it."""
        return f"{self.origin or 'https://rest.invalid'}{self.path}"

    def key(self, entry_id: str) -> str:
        """The key of an entry: ids are unique within one list only, and all lists share one source."""
        place = f"{(self.origin or '').partition('://')[2]}{self.path}"
        if len(place) > LONGEST_PLACE:
            place = sha256(place.encode()).hexdigest()[:16]
        return f"{place}#{entry_id}"


def check_params(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what is wrong with a query's parameters."""
    sentence = "a rest query has no parameter `{name}`"
    return (
        *unknown_params(params, PARAM_RULES, sentence, "docs/sources/rest.md"),
        *_bad_address(params),
        *_bad_paths(params),
        *_bad_paging(params),
        *_bad_tables(params),
    )


def check_prices(params: Mapping[str, Any], currency: str | None) -> tuple[str, ...]:
    """Sentences on why a query of a price watch would bring no prices; `currency`: the one its watch states."""
    fields = _table(params, "fields")
    if "price" not in fields:
        return ('`fields` has no `price`: write where an entry tells it, such as fields = { price = "price.amount" }.',)
    if currency is None and "currency" not in fields:
        return (
            "`fields` has no `currency`, and the watch states none: add its path, such as "
            'currency = "price.currency", or write currency = "EUR" into [watch.valuation].',
        )
    return ()


def plan_of(params: Mapping[str, Any]) -> Plan:
    """The plan behind parameters that were checked."""
    parts = urlsplit(_text(params, "url"))
    kind: PageKind = next((kind for kind in PAGE_KINDS if kind == _text(params, "page")), "none")
    written = {name: parse_path(_text(params, name)) for name in PATHS if _text(params, name)}
    query = params.get("query")
    return Plan(
        origin=f"{parts.scheme}://{parts.netloc}" if parts.netloc else None,
        path=parts.path or "/",
        query=(*parse_qsl(parts.query, keep_blank_values=True), *_pairs(query if isinstance(query, Mapping) else {})),
        headers={name: str(value) for name, value in _table(params, "headers").items()},
        token_header=_text(params, "token_header"),
        token_param=_text(params, "token_param"),
        list=written.get("list") or (),
        id=written.get("id") or (),
        title=written.get("title") or (),
        link=_link(_text(params, "link")),
        date=written.get("date"),
        date_format=_text(params, "date_format") or "iso",
        fields={name: parse_path(str(path)) or () for name, path in _table(params, "fields").items()},
        total=written.get("total"),
        page=kind,
        page_param=_text(params, "page_param") or PAGE_PARAMS[kind],
        size_param=_text(params, "size_param"),
        page_size=_whole(params, "page_size", DEFAULT_SIZE),
        first_page=_whole(params, "first_page", 1),
        next=written.get("next"),
        is_stable=params.get("stable") is True,
        is_ordered=bool(written.get("date")) and _text(params, "order") != "none",
    )


def own_origin(params: Mapping[str, Any]) -> str | None:
    """The origin a query's user wrote; None where it is the source's base_url."""
    return None if _bad_address(params) else plan_of(params).origin


def _bad_address(params: Mapping[str, Any]) -> list[str]:
    url = _text(params, "url")
    remedy = "write it like https://api.example.com/items, or /items under `[sources.rest] base_url`."
    if not url:
        return [f"a rest query needs its `url`: {remedy}"]
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_web = False
    if _ODD.search(url) or not (is_web or (url.startswith("/") and not url.startswith("//"))):
        return [f"`url` is not a web address: {remedy}"]
    if is_web and (parts.username is not None or parts.fragment):
        return ["`url` holds a user name or a fragment: put secrets into `[sources.rest] token` and `token_header`."]
    return []


def _bad_paths(params: Mapping[str, Any]) -> list[str]:
    sentences = [
        f'`{name}` is missing: write the path of it in an entry, such as {name} = "{example}".'
        for name, example in (("id", "id"), ("title", "attributes.name"))
        if not _text(params, name)
    ]
    sentences += [
        f"`{name}` is not a path: write names parted by dots and places as [0], such as data.items[0].name."
        for name in PATHS
        if _text(params, name) and parse_path(_text(params, name)) is None
    ]
    link = _text(params, "link")
    if link and not _is_template(link) and parse_path(link) is None:
        sentences.append("`link` is a path, or an address with {id} in it such as https://example.com/items/{id}.")
    if _is_template(link) and "{id}" not in link:
        sentences.append("`link` is an address without {id}: every entry would have the same one.")
    written = _text(params, "date_format")
    if written and written not in WRITTEN_DATES and "%" not in written:
        sentences.append("`date_format` is iso, unix, unix_ms or a pattern such as %d.%m.%Y %H:%M.")
    return sentences


def _bad_paging(params: Mapping[str, Any]) -> list[str]:
    kind, sentences = _text(params, "page") or "none", []
    if kind not in PAGE_KINDS:
        sentences.append(f"`page` is one of {', '.join(PAGE_KINDS)}.")
    if kind == "cursor" and not _text(params, "next"):
        sentences.append("`page` is cursor, but `next` is missing: write the path of the next cursor in the answer.")
    if "stable" in params and not isinstance(params["stable"], bool):
        sentences.append("`stable` is true or false.")
    elif params.get("stable") and kind not in ("cursor", "link"):
        sentences.append("`stable` is about a cursor or a next link, but `page` is neither: remove it.")
    if _text(params, "order") not in ("", *ORDERS):
        sentences.append(f"`order` is one of {', '.join(ORDERS)}.")
    if _text(params, "order") == "newest" and not _text(params, "date"):
        sentences.append("`order` is newest, but `date` is missing: without dates the whole list is read every time.")
    for name, least, most in (("page_size", 1, LARGEST_SIZE), ("first_page", 0, 1)):
        if name in params and not least <= _whole(params, name, -1) <= most:
            sentences.append(f"`{name}` is a whole number from {least} to {most}.")
    return sentences


def _bad_tables(params: Mapping[str, Any]) -> list[str]:
    sentences = [
        f"`{name}` is a table: write {name} = {{ name = value }}."
        for name in ("query", "headers", "fields")
        if name in params and not isinstance(params[name], Mapping)
    ]
    for name, path in _table(params, "fields").items():
        if not _FIELD.fullmatch(name) or name in RESERVED_FIELDS:
            sentences.append(f"`fields` has a name that cannot be used, {name!r}: use small letters, digits and _.")
        elif not isinstance(path, str) or not path.strip() or parse_path(path) is None:
            sentences.append(f"`fields` has no path for {name!r}: write it like {name} = data.price.")
    for name, value in _table(params, "headers").items():
        if not _HEADER.fullmatch(name) or not str(value).isprintable():
            sentences.append(f"`headers` has one that HTTP cannot carry, {name!r}: remove it.")
        elif _SECRET_NAME.search(name):
            sentences.append(
                f"`headers` would show the secret in {name!r} to everyone who sees the configuration: write it into "
                f'`[sources.rest] token` and token_header = "{name}" here.'
            )
    sentences += [
        f"`query` would show the secret in {name!r} to everyone who sees the configuration: write it into "
        f'`[sources.rest] token` and token_param = "{name}" here.'
        for name in _query_names(params)
        if _SECRET_NAME.search(name)
    ]
    header = _text(params, "token_header")
    if header and not _HEADER.fullmatch(header):
        sentences.append("`token_header` is the name of a header such as Authorization or X-Api-Key.")
    return sentences


def _query_names(params: Mapping[str, Any]) -> list[str]:
    """The parameters of a query and of its address."""
    try:
        in_address = [name for name, _ in parse_qsl(urlsplit(_text(params, "url")).query, keep_blank_values=True)]
    except ValueError:
        in_address = []
    return [*_table(params, "query"), *in_address]


def _link(text: str) -> Steps | str | None:
    return text if _is_template(text) else parse_path(text) if text else None


def _is_template(text: str) -> bool:
    return text.startswith(("https://", "http://"))


def _pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, text) for name, value in query.items() for text in param_values(value)]


def _table(params: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = params.get(name)
    return value if isinstance(value, Mapping) else {}


def _text(params: Mapping[str, Any], name: str) -> str:
    value = params.get(name)
    return value.strip() if isinstance(value, str) else ""


def _whole(params: Mapping[str, Any], name: str, default: int) -> int:
    value = params.get(name, default)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1
