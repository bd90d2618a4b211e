"""The watches: what each asks for, of whom, and where its matches go; paused, resumed, removed, and kept from words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import Response

from inforadar.config.watch_editing import with_list, with_pause, without_watch
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import Watch
from inforadar.interfaces.cli.ban import trial_sentence
from inforadar.interfaces.cli.watch import ONLY_ONE
from inforadar.interfaces.standing import read_queries
from inforadar.interfaces.web.answers import Parts, Radar
from inforadar.interfaces.web.asked import LONGEST_TEXT
from inforadar.interfaces.web.pages.forms import Form, OwnForm, go_to
from inforadar.interfaces.web.pages.rendering import page
from inforadar.interfaces.web.pages.written import change, wanted_watches, watch_of, written_config
from inforadar.service.ban_trial import Trial, check_word, try_words
from inforadar.store import watched

MOST_WORDS = 200
LONGEST_WORD = 500
MOST_TRIED = 10_000
SHOWN = 10
TOO_SLOW = "{word!r} ran out of time: in a fetch it would be set aside. Write it without nested repetitions."

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Query(max_length=LONGEST_TEXT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Ban words as a person wants them from now on, beside those a watch has."""

    wanted: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


@router.get("/watches")
def show_watches(request: Request, radar: Radar) -> Response:
    """Every watch of the configuration with its queries."""
    with radar.app.database.reading() as tx:
        queries = read_queries(radar.app, tx)
        left_out = watched.left_out(tx)
    found = wanted_watches(radar)
    shown = [(watch, [one for one in queries if one.query.watch == watch.name]) for watch in found.watches]
    return page(
        request,
        "watches.html",
        now=radar.app.clock.now(),
        watches=shown,
        found=found,
        left_out=left_out,
        can_change=radar.app.config.path is not None and not found.problem,
    )


@router.post("/watches/pause")
def pause_watch(radar: Radar, form: OwnForm) -> Response:
    """Ask nothing for a watch until it is resumed."""
    return _set_paused(radar, form.one("watch"), is_paused=True)


@router.post("/watches/resume")
def resume_watch(radar: Radar, form: OwnForm) -> Response:
    """Go on with a paused watch."""
    return _set_paused(radar, form.one("watch"), is_paused=False)


@router.post("/watches/words")
def edit_words(request: Request, radar: Radar, form: OwnForm) -> Response:
    """Show what other ban words would hide of what is stored, or save them."""
    written, config = written_config(radar)
    watch = watch_of(config, form.one("watch"))
    try:
        words = changed_words(watch, ban_words_of(form))
    except ConfigError as error:
        return _words_page(request, radar, watch, form, problem=str(error), status=422)
    trials = tried(radar, watch.name, words.added)
    slow = next((one for one in trials if one.timeouts), None)
    if form.one("act") == "save" and slow is None:
        change(written, watch.name, lambda text, index: with_list(text, index, "ban_words", list(words.wanted)))
        return go_to("/watches")
    problem = TOO_SLOW.format(word=slow.word) if slow else ""
    return _words_page(request, radar, watch, form, words=words, trials=trials, problem=problem)


@router.get("/watches/remove")
def ask_to_remove(request: Request, radar: Radar, watch: Name = "") -> Response:
    """The question that stands before a watch is removed."""
    _, config = written_config(radar)
    asked = watch_of(config, watch)
    return page(request, "removing.html", now=radar.app.clock.now(), watch=asked, is_only=len(config.watches) == 1)


@router.post("/watches/remove")
def remove_watch(radar: Radar, form: OwnForm) -> Response:
    """Take a watch out of the configuration; what it found stays."""
    written, config = written_config(radar)
    watch = watch_of(config, form.one("watch"))
    if len(config.watches) == 1:
        raise HTTPException(409, ONLY_ONE.format(name=watch.name))
    change(written, watch.name, without_watch)
    return go_to("/watches")


def ban_words_of(form: Form) -> list[str]:
    """The words of a field, one a line, each once; raises ConfigError for one that cannot be used."""
    words = list(dict.fromkeys(line.strip() for line in form.one("words").splitlines() if line.strip()))
    if len(words) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in words):
        raise ConfigError(f"At most {MOST_WORDS} ban words of {LONGEST_WORD} characters are taken.")
    for word in words:
        check_word(word)
    return words


def changed_words(watch: Watch, wanted: list[str]) -> Words:
    """What would be different; those that stay keep their order, new ones come behind them."""
    kept = [word for word in watch.ban_words if word in wanted]
    added = [word for word in wanted if word not in watch.ban_words]
    removed = [word for word in watch.ban_words if word not in wanted]
    return Words(wanted=(*kept, *added), added=tuple(added), removed=tuple(removed))


def tried(radar: Parts, watch: str, words: tuple[str, ...]) -> list[Trial]:
    """What each of these words would hide of the newest matches of a watch; no transaction is open meanwhile."""
    if not words:
        return []
    with radar.app.database.reading() as tx:
        newest = watched.newest(tx, watch, limit=MOST_TRIED)
    return try_words(words, newest, radar.app.clock)


def _words_page(
    request: Request,
    radar: Parts,
    watch: Watch,
    form: Form,
    *,
    words: Words | None = None,
    trials: Sequence[Trial] = (),
    problem: str = "",
    status: int = 200,
) -> Response:
    """The page of the ban words of a watch; what somebody typed stands in its field again, right or wrong."""
    return page(
        request,
        "words.html",
        now=radar.app.clock.now(),
        http_status=status,
        watch=watch,
        words=words,
        typed="\n".join(words.wanted) if words else form.one("words"),
        trials=[(trial, trial_sentence(trial)) for trial in trials],
        shown=SHOWN,
        most=MOST_TRIED,
        problem=problem,
    )


def _set_paused(radar: Parts, name: str, *, is_paused: bool) -> Response:
    written, config = written_config(radar)
    if watch_of(config, name).paused != is_paused:
        change(written, name, lambda text, index: with_pause(text, index, is_paused=is_paused))
    return go_to("/watches")
