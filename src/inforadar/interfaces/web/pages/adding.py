"""A new query by the pasted address of a site's own search page: looked at first, then saved, as `radar add` does it.

The look goes through the parts of the running server, which ask nobody in the local network but whom the configuration
names already; and an address there is not saved from here either, because the next start would trust in it. What is
saved is read from the address again: what the form says of it is only compared.
"""

import json
from dataclasses import dataclass, replace
from typing import cast

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from inforadar.bootstrap import known_sources
from inforadar.config.editing import change_file
from inforadar.config.schema import SINKS
from inforadar.domain.errors import ConfigError, SourceError
from inforadar.domain.item import Draft
from inforadar.domain.money import place_of, price_of
from inforadar.domain.ports import Request as Asking
from inforadar.domain.watch import FirstRun
from inforadar.interfaces.cli.add import FIRST_RUNS
from inforadar.interfaces.cli.add_words import wanted_by
from inforadar.interfaces.cli.written_config import WrittenConfig
from inforadar.interfaces.web.answers import Parts, Radar
from inforadar.interfaces.web.asked import LONGEST_ADDRESS, LONGEST_TEXT
from inforadar.interfaces.web.pages.forms import Form, OwnForm, go_to
from inforadar.interfaces.web.pages.rendering import page
from inforadar.interfaces.web.pages.watches import ban_words_of
from inforadar.interfaces.web.pages.written import written_config
from inforadar.net.urls import is_local
from inforadar.service.adding import CHANNELS, Wish, propose_name, with_asked
from inforadar.service.preview import Looked
from inforadar.sources.feed_links import offers, without_offer
from inforadar.sources.search_urls import Asked, NotASearch, read_search_url

LONGEST_PROFILE = 2000
LOCAL = "{url} lies in the local network. Only `radar add` on the machine itself may add it."
BY_HAND = "A rest query sends your token where it says. Write it into radar.toml yourself (docs/sources/rest.md)."
CHANGED = "This address asks something else than what was shown, or the form was changed on its way. Look at it again."
CANNOT = "This cannot be added: {why}"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A query that was understood: the name it would be saved by, and what it shows, or why it shows nothing."""

    asked: Asked
    name: str
    looked: Looked | None = None
    problem: str = ""


@router.get("/watches/new")
def show_adding(request: Request, radar: Radar) -> Response:
    """The field for the address."""
    return _page(request, radar)


@router.post("/watches/new")
def add_watch(request: Request, radar: Radar, form: OwnForm) -> Response:
    """Show what an address would collect, or save it."""
    written, _ = written_config(radar)
    wish = _wish(form)
    try:
        asked = _asked(radar, form, written)
    except (ConfigError, SourceError) as error:
        return _page(request, radar, form=form, problem=str(error), status=422)
    name = wish.watch or wish.name or propose_name(asked, written.watch_names)
    try:
        wish = replace(wish, ban_words=tuple(ban_words_of(form)))
        text = _text(written, asked, wish, name)
        if form.one("act") == "save":
            change_file(written.path, lambda now: _text(replace(written, text=now), asked, wish, name), written.parse)
            return go_to("/watches")
        seen = _look(radar, written, asked, name, text)
    except ConfigError as error:
        # what is typed stays, to be mended, and so does what was shown
        seen = _seen_anyway(radar, written, asked, wish, name)
        return _page(request, radar, form=form, seen=seen, wish=wish, problem=_refusal(error), status=422)
    return _page(request, radar, form=form, seen=seen, wish=wish)


def _page(
    request: Request,
    radar: Parts,
    *,
    form: Form | None = None,
    seen: Seen | None = None,
    wish: Wish | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    wish = wish or Wish()
    return page(
        request,
        "adding.html",
        now=radar.app.clock.now(),
        http_status=status,
        url=form.one("url") if form else "",
        seen=seen,
        entries=[(one, _about(one.draft)) for one in seen.looked.entries] if seen and seen.looked else [],
        params=_written(seen.asked) if seen else "",
        lost=[one for one in seen.asked.left_out if one.is_lost] if seen else [],
        harmless=[one for one in seen.asked.left_out if not one.is_lost] if seen else [],
        wish=wish,
        words=form.one("words") if form else "",
        watches=_fitting(radar, seen.asked) if seen else [],
        first_runs=FIRST_RUNS,
        sinks=_sinks(radar),
        deliver=_channels(radar) if wish.deliver is None else wish.deliver,
        problem=problem,
    )


def _about(draft: Draft) -> list[str]:
    """Whose an entry is, where, and for how much, as far as the list tells."""
    told = (draft.company or str(draft.data.get("author") or ""), place_of(draft.data), price_of(draft.data))
    return [fact for fact in told if fact]


def _asked(radar: Parts, form: Form, written: WrittenConfig) -> Asked:
    """What the address asks, which must be what an earlier look showed; raises ConfigError and SourceError."""
    url = form.one("url").strip()
    if not url or len(url) > LONGEST_ADDRESS:
        raise ConfigError("Paste the address of a site's search page, of a feed or of a job board.")
    wanted = wanted_by([url], written.sources)
    asked = wanted.asked or _discovered(radar, wanted.address)
    if asked.source == "rest":
        raise ConfigError(BY_HAND)
    address = str(asked.params.get("url") or "")
    if address and is_local(address):
        raise ConfigError(LOCAL.format(url=address))
    shown = (form.one("source"), form.one("params"))
    if any(shown) and shown != (asked.source, _written(asked)):
        raise ConfigError(CHANGED)
    return asked


def _written(asked: Asked) -> str:
    return json.dumps(dict(asked.params), ensure_ascii=False)


def _discovered(radar: Parts, url: str) -> Asked:
    """The feed or board behind an address that no source knows."""
    if is_local(url):
        raise ConfigError(LOCAL.format(url=url))
    answer = radar.app.http.send("", Asking(url=url))
    try:
        found = read_search_url(answer.url) if answer.url != url else None
    except NotASearch:
        found = None
    offered = [found] if found else offers(url, answer)
    if not offered:
        raise ConfigError(without_offer(url, answer))
    return offered[0]


def _wish(form: Form) -> Wish:
    """How the query is to be kept; raises HTTPException for what no form of ours sends."""
    name, profile = form.one("name").strip(), form.one("profile").strip()
    run = form.one("first_run") or "24h"
    if run not in FIRST_RUNS or len(name) > LONGEST_TEXT or len(profile) > LONGEST_PROFILE:
        raise HTTPException(422, "That is no first run, or the name or the profile is too long.")
    return Wish(
        name=name or None,
        watch=form.one("watch") or None,
        first_run=cast(FirstRun, run),
        profile=profile,
        deliver=tuple(form.all("deliver")) if form.one("sinks") else None,
    )


def _sinks(radar: Parts) -> list[str]:
    """Where a watch of the running configuration may deliver to."""
    return [name for name in SINKS if getattr(radar.app.config, name)]


def _channels(radar: Parts) -> list[str]:
    return [name for name in _sinks(radar) if name in CHANNELS]


def _text(written: WrittenConfig, asked: Asked, wish: Wish, name: str) -> str:
    """The configuration with the query in it; raises ConfigError with every mistake."""
    if wish.watch is not None and wish.watch not in written.watch_names:
        raise ConfigError(f"There is no watch {wish.watch!r} any more.")
    source = written.sources[asked.source]
    if mistakes := source.check(asked.params):
        raise ConfigError("\n".join([f"{asked.source} does not take this:", *map(str, mistakes)]))
    return with_asked(written.text, asked, wish, name, source)


def _fitting(radar: Parts, asked: Asked) -> list[str]:
    """The watches that the query can go into: those of the kind that its source serves."""
    source = known_sources()[asked.source]
    is_any = getattr(source, "takes_any_kind", False)
    return [one.name for one in radar.app.config.watches if is_any or one.kind == source.kind]


def _refusal(error: ConfigError) -> str:
    """Why the query cannot be saved; the lines of a text that nobody has written are not told."""
    if not error.mistakes:
        return str(error)
    return CANNOT.format(why="; ".join(str(replace(one, line=None)) for one in error.mistakes))


def _seen_anyway(radar: Parts, written: WrittenConfig, asked: Asked, wish: Wish, name: str) -> Seen:
    """What a query shows that cannot be kept as it was wished: as a new watch would take it."""
    new = propose_name(asked, written.watch_names)
    try:
        text = _text(written, asked, replace(wish, watch=None, name=None), new)
        return replace(_look(radar, written, asked, new, text), name=name)
    except ConfigError:
        return Seen(asked=asked, name=name)


def _look(radar: Parts, written: WrittenConfig, asked: Asked, name: str, text: str) -> Seen:
    watch = next(one for one in written.parse(text).watches if one.name == name.strip())
    try:
        looked = radar.app.preview().look(watch, watch.queries[-1])
    except SourceError as error:
        return Seen(asked=asked, name=watch.name, problem=str(error))
    return Seen(asked=asked, name=watch.name, looked=looked)
