"""What `radar doctor` looks at outside of the database: files, disk, windows, judge and sinks; nothing is changed."""

import shlex
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from inforadar.config import Config
from inforadar.config.loading import EXPOSED
from inforadar.config.store_url import SQLITE, beside_store
from inforadar.domain.errors import RadarError, Refused
from inforadar.domain.ports import Judge
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.wording import counted
from inforadar.sinks.sheets_account import read_account

State = Literal["ok", "warning", "failure"]
OTHERS = stat.S_IRWXG | stat.S_IRWXO
LITTLE_DISK, SCARCE_DISK = 200 << 20, 1 << 30
LONG_QUIET_HOURS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How one thing was found; `remedy`: the command, or the sentence, that mends it."""

    area: str
    state: State
    what: str
    remedy: str = ""


def check_config(config: Config) -> Iterator[Finding]:
    """The configuration as it was read, with its warnings; that others can read it is told by `check_files`."""
    watches = counted(len(config.watches), "watch", "watches")
    queries = counted(sum(len(watch.queries) for watch in config.watches), "query", "queries")
    paused = [watch.name for watch in config.watches if watch.paused]
    told = f", paused: {', '.join(paused)}" if paused else ""
    yield Finding(
        area="config",
        state="ok",
        what=f"{config.path}: {watches}, {queries}{told}",
    )
    for warning in config.warnings:
        if warning == EXPOSED.format(path=config.path):
            continue
        what, _, remedy = warning.partition(". ")
        yield Finding(area="config", state="warning", what=what, remedy=remedy or f"edit {config.path}")


def check_plugins(found: Iterable[tuple[str, str, str | None]]) -> Iterator[Finding]:
    """Sources that other packages bring: their names, packages and flaws."""
    for name, package, flaw in found:
        if flaw is None:
            yield Finding(area="sources", state="ok", what=f"{name} comes from the package {package}")
        else:
            remedy = f"pip install --upgrade {package.split()[0]}, or pip uninstall it"
            yield Finding(area="sources", state="failure", what=flaw, remedy=remedy)


def check_files(config: Config, raw: Mapping[str, Any]) -> Iterator[Finding]:
    """Who may read the files that hold secrets: the configuration, those it names, kept tokens, the log."""
    folder = config.path.resolve().parent if config.path else Path()
    own = [config.path] if config.path and config.holds_secrets else []
    named = [folder / Path(name).expanduser() for name in _secret_files(raw)]
    kept = [beside_store(config.store.url, folder, f"{name}-token.json") for name in config.sources]
    held = [path for path in (*own, *named, *kept, config.log.file) if path is not None and path.exists()]
    open_ones = [path for path in held if path.stat().st_mode & OTHERS]
    for path in open_ones:
        yield Finding(area="secrets", state="failure", what=f"others can read {path}", remedy=f"chmod 600 {path}")
    if not open_ones:
        yield Finding(area="secrets", state="ok", what=_kept_files(len(held)))


def _kept_files(number: int) -> str:
    if not number:
        return "no file here holds one"
    return (
        f"only you can read {'the file that holds' if number == 1 else f'the {number} files that hold'} them or a log"
    )


def check_disk(
    config: Config, free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
) -> Finding:
    """How much room is left where the database is, or for a server's the configuration."""
    is_file = config.store.url.startswith(SQLITE)
    place = Path(config.store.url.removeprefix(SQLITE)).parent if is_file else (config.path or Path()).parent
    if not place.is_dir():
        return Finding(area="disk", state="failure", what=f"{place} is not there", remedy=f"mkdir -p {place}")
    free = free_bytes(place)
    state: State = "failure" if free < LITTLE_DISK else "warning" if free < SCARCE_DISK else "ok"
    remedy = "" if state == "ok" else "free some space, or move the database ([store] url)"
    return Finding(area="disk", state=state, what=f"{_room(free)} free in {place}", remedy=remedy)


def _room(free: int) -> str:
    return f"{free / (1 << 30):.1f} GB" if free >= 1 << 30 else f"{free / (1 << 20):.0f} MB"


def check_judge(config: Config, judge: Judge) -> Finding:
    """Whether the judge could judge now."""
    kind = config.judge.kind
    if kind == "words":
        return Finding(area="judge", state="ok", what="words, built in")
    told = f"{kind} {config.judge.model} at {config.judge.base_url}"
    try:
        judge.ping()
    except RadarError as error:
        return Finding(area="judge", state="failure", what=f"{told}: {error}", remedy=_judge_remedy(config, error))
    return Finding(area="judge", state="ok", what=f"{told} answers")


def check_telegram(config: Config, raw: Mapping[str, Any], bot_name: Callable[[], str] | None) -> Iterator[Finding]:
    """Whether the bot is there, and has a chat; `raw`: the file; `bot_name` asks Telegram, None = there is no token."""
    telegram = config.telegram
    if telegram is None:
        return
    if bot_name is None:
        yield Finding(
            area="telegram",
            state="failure",
            what="there is no token",
            remedy=_token_remedy(raw.get("telegram", {}).get("token")),
        )
        return
    try:
        name = bot_name()
    except RadarError as error:
        remedy = (
            "radar connect telegram --token" if isinstance(error, Refused) else "check the network, then radar doctor"
        )
        yield Finding(area="telegram", state="failure", what=str(error), remedy=remedy)
        return
    if not telegram.chat_id:
        yield Finding(
            area="telegram", state="failure", what=f"@{name} has no chat", remedy="radar connect telegram --write"
        )
    else:
        yield Finding(area="telegram", state="ok", what=f"@{name} answers; matches go to chat {telegram.chat_id}")


def check_sinks(config: Config) -> Iterator[Finding]:
    """Whether every other sink that a watch names has what it needs; none of them is asked."""
    used = {sink for watch in config.watches for sink in watch.deliver}
    if config.apprise is not None and "apprise" in used:
        yield _sink(
            "apprise", bool(config.apprise.urls), counted(len(config.apprise.urls), "channel"), "[apprise] urls"
        )
    if config.webhook is not None and "webhook" in used:
        yield _sink(
            "webhook",
            bool(config.webhook.url and config.webhook.secret),
            "address and secret are set",
            "[webhook] url and secret",
        )
    if config.sheets is not None and "sheets" in used:
        yield _sheets(config)
    if not used:
        yield Finding(
            area="sinks",
            state="warning",
            what="no watch sends its matches anywhere",
            remedy=_first_sink(config),
        )


def check_windows(config: Config, now: datetime) -> Iterator[Finding]:
    """The hours that hold work or messages back, and whether they do so now."""
    for sink in ("telegram", "apprise", "webhook"):
        settings = getattr(config, sink)
        if settings is not None and settings.quiet_hours:
            yield _quiet(sink, settings.quiet_hours, now)
    if config.sheets is not None:
        yield _window("sheets", config.sheets.window, now)
    if config.schedule.night and config.schedule.night_work:
        yield _window(f"night work ({', '.join(config.schedule.night_work)})", config.schedule.night, now)


def _secret_files(raw: Any) -> Iterator[str]:
    """The files that secrets are read from, wherever they stand in a configuration."""
    if isinstance(raw, Mapping):
        name = raw.get("file")
        if len(raw) == 1 and isinstance(name, str):
            yield name
        for inner in raw.values():
            yield from _secret_files(inner)
    elif isinstance(raw, list):
        for inner in raw:
            yield from _secret_files(inner)


def _token_remedy(place: Any) -> str:
    """How the bot gets its token, from where the configuration looks for it."""
    if isinstance(place, Mapping) and "env" in place:
        return f"export {place['env']}=..., then radar doctor"
    if isinstance(place, Mapping) and "file" in place:
        return f"write the token into {place['file']}, then radar doctor"
    return "export TELEGRAM_TOKEN=..., then radar connect telegram"


def _judge_remedy(config: Config, error: RadarError) -> str:
    if config.judge.kind != "ollama":
        return "check [judge] base_url and token"
    return f"ollama pull {config.judge.model}" if isinstance(error, Refused) else "ollama serve"


def _first_sink(config: Config) -> str:
    """How matches get anywhere: what is set up needs only to be named in a watch."""
    telegram = config.telegram
    has_bot = telegram is not None and telegram.token and telegram.chat_id
    others = [name for name in ("apprise", "webhook", "sheets") if getattr(config, name) is not None]
    ready = ["telegram"] if has_bot else others
    edit = f"radar watch edit {shlex.quote(config.watches[0].name)}" if config.watches else "radar watch edit"
    if ready:
        return f'deliver = ["{ready[0]}"] in a watch: {edit}'
    return f'radar connect telegram, then deliver = ["telegram"] in a watch: {edit}'


def _sink(name: str, is_set: bool, told: str, missing: str) -> Finding:
    if is_set:
        return Finding(area=name, state="ok", what=told)
    return Finding(
        area=name, state="failure", what=f"{missing}: missing, what is for it waits", remedy=f"see docs/{name}.md"
    )


def _sheets(config: Config) -> Finding:
    assert config.sheets is not None
    if not config.sheets.spreadsheet_id or config.sheets.credentials is None:
        return _sink("sheets", False, "", "[sheets] spreadsheet_id and credentials")
    try:
        account = read_account(config.sheets.credentials)
    except Refused as error:
        return Finding(area="sheets", state="failure", what=str(error), remedy="radar sheets check")
    return Finding(area="sheets", state="ok", what=f"written by {account.email}; `radar sheets check` opens it")


def _quiet(sink: str, hours: DailyWindow, now: datetime) -> Finding:
    told = f"{sink} keeps quiet {hours.start:%H:%M}-{hours.end:%H:%M} {hours.zone}"
    told += ", now too: messages wait" if hours.is_open(now) else ", not now"
    is_long = _hours(hours) >= LONG_QUIET_HOURS
    remedy = f"shorten [{sink}] quiet_hours" if is_long else ""
    return Finding(area="windows", state="warning" if is_long else "ok", what=told, remedy=remedy)


def _window(name: str, window: DailyWindow, now: datetime) -> Finding:
    opens_at = window.next_opening(now)
    told = "open now" if window.is_open(now) else f"opens {opens_at:%Y-%m-%d %H:%M} UTC" if opens_at else "never opens"
    return Finding(
        area="windows", state="ok", what=f"{name}: {window.start:%H:%M}-{window.end:%H:%M} {window.zone}, {told}"
    )


def _hours(window: DailyWindow) -> float:
    minutes = (window.end.hour * 60 + window.end.minute) - (window.start.hour * 60 + window.start.minute)
    return (minutes % (24 * 60)) / 60
