"""`radar ban`: words that keep entries out, tried on what is stored before they are written down."""

import shlex
from collections.abc import Sequence
from typing import Any

import click

from inforadar.bootstrap import App
from inforadar.config.editing import change_file
from inforadar.config.watch_editing import watch_names, with_list, with_more
from inforadar.domain.errors import ConfigError
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.list_first import ListFirst
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.cli.written_config import WrittenConfig, shown_path
from inforadar.service.ban_trial import Trial, check_word, try_word
from inforadar.store import watched

HEADERS = ("ID", "WATCH", "STATUS", "IN", "TITLE")
TOO_SLOW = (
    "The pattern {word} ran out of time: in a fetch it would be set aside and hide nothing. "
    "Write it without nested repetitions."
)


@click.group(
    "ban",
    cls=ListFirst,
    help="""Ban words: what they left out, what one would hide of what is stored; add and remove them.

    \b
    Examples:
      radar ban
      radar ban test junior --show
      radar ban add junior --watch python-madrid
      radar ban remove junior
    """,
)
def command() -> None:
    """Without a subcommand: the list."""


@command.command(
    "list",
    short_help="Ban words, and how much each has left out.",
    help="""The ban words of every watch, and how many entries each has left out so far.

    \b
    Examples:
      radar ban list
      radar ban list --watch python-madrid --json
    """,
)
@click.option("--watch", metavar="NAME", help="Only those of this watch.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_command(session: Session, watch: str | None, as_json: bool) -> None:
    """One line for each word of each watch."""
    with session.app() as app:
        require_known([watch] if watch else [], [one.name for one in app.config.watches], "watch")
        with app.database.reading() as tx:
            left_out = watched.left_out(tx)
        watches = [one for one in app.config.watches if watch in (None, one.name)]
    told = [
        {"watch": one.name, "word": word, "left_out": left_out.get((one.name, word), 0)}
        for one in watches
        for word in one.ban_words
    ]
    if as_json:
        print_json(told)
    elif told:
        print_table(
            ("WATCH", "LEFT OUT", "WORD"), [[str(value) for value in _in_order(one)] for one in told], flexible=(2, 0)
        )
    else:
        tell("No word is banned. To try one: radar ban test WORD; to ban it: radar ban add WORD")


@command.command(
    "test",
    short_help="What a word would hide of what is stored.",
    help="""What a ban word would hide of what is stored. Nothing is changed.

    \b
    Examples:
      radar ban test junior
      radar ban test 're:\\bintern(ship)?\\b' --watch python-madrid --show
    """,
)
@click.argument("word", metavar="WORD")
@click.option("--watch", metavar="NAME", help="Only what this watch found.")
@click.option("--show", "is_shown", is_flag=True, help="List what it would hide.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, with what it would hide.")
@click.pass_obj
def test_command(session: Session, word: str, watch: str | None, is_shown: bool, as_json: bool) -> int:
    """Try one word."""
    check_word(word)
    with session.app() as app:
        if watch is not None:
            require_known([watch], [one.name for one in app.config.watches], "watch")
        trial = _trial(app, word, watch)
    if as_json:
        print_json(_json(trial))
        return 1 if trial.timeouts else 0
    _refuse_slow(trial)
    show(trial_sentence(trial))
    if is_shown and trial.hidden:
        rows = [
            [str(one.match.id), one.match.watch, one.match.status, one.hit.field, one.match.draft.title]
            for one in trial.hidden
        ]
        print_table(HEADERS, rows, flexible=(4, 1), spare=(2,))
    elif trial.hidden:
        say("--show lists them; `radar ban add` bans the word.")
    return 0


@command.command(
    "add",
    short_help="Ban words from now on.",
    help="""Ban words: entries that have one are not collected any more. What is stored stays.

    \b
    Examples:
      radar ban add junior
      radar ban add junior стажёр 're:\\bintern(ship)?\\b' --watch python-madrid
    """,
)
@click.argument("words", metavar="WORD", nargs=-1, required=True)
@click.option("--watch", metavar="NAME", help="Only for this watch; else for all of them.")
@click.pass_obj
def add_command(session: Session, words: Sequence[str], watch: str | None) -> None:
    """Try the words, write them into the configuration, say what they will do."""
    for word in words:
        check_word(word)
    written = WrittenConfig.existing(session)
    if watch is not None:
        require_known([watch], written.watch_names, "watch")
    with session.app() as app:
        trials = [_trial(app, word, watch) for word in words]
    for trial in trials:
        _refuse_slow(trial)
    chosen = [watch] if watch else written.watch_names
    missing = _missing(written, chosen, words)
    if not missing:
        say(f"{_quoted(words)}: banned already; nothing was changed.")
        return
    change_file(written.path, lambda text: _banned(text, missing), written.parse)
    _tell(trials, missing, shown_path(written.path), watch)


@command.command(
    "remove",
    short_help="Ban words no longer.",
    help="""Ban words no longer: entries that have one are collected again from now on.

    \b
    Examples:
      radar ban remove junior
      radar ban remove junior --watch python-madrid
    """,
)
@click.argument("words", metavar="WORD", nargs=-1, required=True)
@click.option("--watch", metavar="NAME", help="Only of this watch; else of all of them.")
@click.pass_obj
def remove_command(session: Session, words: Sequence[str], watch: str | None) -> None:
    """Take the words out of the configuration."""
    written = WrittenConfig.existing(session)
    if watch is not None:
        require_known([watch], written.watch_names, "watch")
    known = {one.name: one.ban_words for one in written.parse(written.text).watches if watch in (None, one.name)}
    kept = {
        name: [word for word in banned if word not in words]
        for name, banned in known.items()
        if set(banned) & set(words)
    }
    unknown = [word for word in words if not any(word in banned for banned in known.values())]
    if unknown:
        raise ConfigError(f"{_quoted(unknown)}: not banned{f' in {watch}' if watch else ''}. To see what is: radar ban")
    change_file(written.path, lambda text: _left(text, kept), written.parse)
    tell(f"{_quoted(words)}: no longer banned in {', '.join(kept)} ({shown_path(written.path)}).")
    say("A `radar run` that is under way reads it by itself.")


def _in_order(one: dict[str, Any]) -> tuple[Any, ...]:
    return one["watch"], one["left_out"], one["word"]


def _missing(written: WrittenConfig, chosen: Sequence[str], words: Sequence[str]) -> dict[str, list[str]]:
    """The words each watch does not have yet, by watch."""
    known = {watch.name: watch.ban_words for watch in written.parse(written.text).watches}
    found = {name: [word for word in dict.fromkeys(words) if word not in known[name]] for name in chosen}
    return {name: new for name, new in found.items() if new}


def _banned(text: str, missing: dict[str, list[str]]) -> str | None:
    changed: str | None = text
    for name, words in missing.items():
        changed = (
            with_more(changed, watch_names(changed).index(name), "ban_words", words) if changed is not None else None
        )
    return changed


def _left(text: str, kept: dict[str, list[str]]) -> str | None:
    changed: str | None = text
    for name, words in kept.items():
        changed = (
            with_list(changed, watch_names(changed).index(name), "ban_words", words) if changed is not None else None
        )
    return changed


def _tell(trials: Sequence[Trial], missing: dict[str, list[str]], path: str, watch: str | None) -> None:
    tell(f"Changed {path}; entries with it are left out from now on:")
    for name, words in missing.items():
        tell(f"  {name}: banned {_quoted(words)}")
    narrowed = f" --watch {shlex.quote(watch)}" if watch else ""
    tell(f"To take it back: radar ban remove {shlex.join(one.word for one in trials)}{narrowed}")
    if watch is None and len(missing) > 1:
        tell("It holds in every watch; --watch NAME bans in one alone.")
    for trial in trials:
        if trial.hidden:
            tell(f"{_staying(trial)}. To look: radar ban test {shlex.quote(trial.word)} --show")
    say("A `radar run` that is under way reads it by itself.")


def _staying(trial: Trial) -> str:
    """What becomes of the stored matches that have a word."""
    found = f"{len(trial.hidden)} of {_stored(trial)}"
    if len(trial.hidden) == 1:
        return f"{found} has {_quoted([trial.word])}: it stays, unless it still waits for the judge"
    return f"{found} have {_quoted([trial.word])}: they stay, only those that still wait for the judge are left out"


def _trial(app: App, word: str, watch: str | None) -> Trial:
    with app.database.reading() as tx:
        return try_word(word, watched.walk(tx, watch))


def _refuse_slow(trial: Trial) -> None:
    if trial.timeouts:
        raise ConfigError(TOO_SLOW.format(word=trial.word))


def _stored(trial: Trial) -> str:
    return counted(trial.looked_at, "stored match", "stored matches")


def trial_sentence(trial: Trial) -> str:
    """What a word would hide, as the page says it too."""
    return f"{_quoted([trial.word])} would hide {len(trial.hidden)} of {_stored(trial)}."


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)


def _json(trial: Trial) -> dict[str, Any]:
    return {
        "word": trial.word,
        "stored": trial.looked_at,
        "hidden": len(trial.hidden),
        "timeouts": trial.timeouts,
        "items": [
            {
                "id": one.match.id,
                "watch": one.match.watch,
                "status": one.match.status,
                "field": one.hit.field,
                "title": one.match.draft.title,
                "url": one.match.draft.url,
            }
            for one in trial.hidden
        ],
    }
