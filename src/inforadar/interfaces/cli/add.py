"""`radar add`: a query from the address of a site's own search page, or from words; looked at, then saved."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import click

from inforadar.config import Config
from inforadar.config.editing import change_file, create_file
from inforadar.config.schema import SINKS
from inforadar.domain.errors import BadQuery, ConfigError, SourceError, Unreadable
from inforadar.domain.ports import Request
from inforadar.domain.watch import FirstRun, Query, Watch
from inforadar.interfaces.cli.add_preview import Shown, show_asked, show_preview, to_json
from inforadar.interfaces.cli.add_words import known_flags, wanted_by
from inforadar.interfaces.cli.asking import chosen, confirmed, is_terminal, named
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.parameters import OneOf
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.sources import missing_in_practice
from inforadar.interfaces.cli.table import tell
from inforadar.interfaces.cli.written_config import WrittenConfig, shown_path
from inforadar.observe.printable import printable
from inforadar.service.adding import Wish, asking_already, merged, propose_name, require_new_name, with_asked
from inforadar.sources.feed_links import offers, without_offer
from inforadar.sources.search_urls import Asked, NotASearch, read_search_url

FIRST_RUNS: dict[str, str] = {
    "baseline": "nothing of what is there now is sent to you, only what comes later",
    "24h": "the last day",
    "all": "everything that is there now",
}
NOBODY = "nobody"
NOT_SAVED_HERE = "Nothing was saved: there is no terminal to ask in. Add --yes to save, or --preview to only look."
ASKED_ALREADY = "{watch} asks for exactly this already; nothing was saved."
ANOTHER_WATCH = " To ask it in another watch too: --name NAME"


@click.command(
    "add",
    context_settings={"ignore_unknown_options": True},
    help="""Add a query from the address of a site's own search page, or from words: shows the newest 10 entries and
    what would be left out, then saves it in radar.toml as a watch.

    \b
    Examples:
      radar add "https://www.linkedin.com/jobs/search/?keywords=python"
      radar add hh "python django" --area 1 --area 2
      radar add https://boards.greenhouse.io/gitlab --watch python-madrid
      radar add https://planet.postgresql.org --yes --name postgres
      radar add habr --hub python --preview --json

    WHAT is an address (LinkedIn, hh.ru, InfoJobs, Habr, eBay, Greenhouse, Lever, Ashby, SmartRecruiters, Workable,
    Recruitee, any feed or a page that has one), or a source and words. Every parameter of a source is an option here
    too: `radar sources` names the sources, docs/sources their parameters.
    """,
)
@click.argument("what", metavar="WHAT", nargs=-1, type=click.UNPROCESSED)
@click.option("--name", metavar="NAME", help="Call the watch so; else a name is proposed.")
@click.option("--watch", metavar="NAME", help="Add the query to this watch instead of a new one.")
@click.option(
    "--kind",
    metavar="KIND",
    type=OneOf(("vacancy", "article", "price")),
    help="What a feed or a rest list is about: vacancy, article, price.",
)
@click.option("--profile", metavar="TEXT", default="", help="What is relevant, in your words; the judge reads it.")
@click.option(
    "--ban", "ban_words", metavar="WORD", multiple=True, help="Leave out what has this word; may be repeated."
)
@click.option(
    "--first-run",
    metavar="RUN",
    type=OneOf(tuple(FIRST_RUNS)),
    help="Send of the first run: baseline (nothing), 24h, all.",
)
@click.option(
    "--deliver",
    metavar="SINK",
    multiple=True,
    type=OneOf((*SINKS, NOBODY)),
    help="Send what fits there: telegram, sheets, apprise, webhook, nobody; else to every channel that is set up.",
)
@click.option("--yes", "is_sure", is_flag=True, help="Save without asking.")
@click.option("--preview", "only_looks", is_flag=True, help="Only look, save nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the preview as one JSON object; saves with --yes alone.")
@click.pass_obj
def command(
    session: Session,
    what: Sequence[str],
    name: str | None,
    watch: str | None,
    kind: str | None,
    profile: str,
    ban_words: Sequence[str],
    first_run: str | None,
    deliver: Sequence[str],
    is_sure: bool,
    only_looks: bool,
    as_json: bool,
) -> int:
    """Read what is wanted, look at it, save it."""
    if watch and (name or profile or ban_words or first_run or kind or deliver):
        raise ConfigError(
            "--watch adds to a watch that is there: --name, --kind, --profile, --ban, --first-run, --deliver stay out."
        )
    wish = Wish(
        name=name,
        watch=watch,
        kind=cast(Any, kind),
        first_run=cast(FirstRun, first_run or "24h"),
        ban_words=tuple(ban_words),
        profile=profile,
        deliver=tuple(one for one in deliver if one != NOBODY) if deliver else None,
    )
    adding = Adding(session=session, written=WrittenConfig.of(session), wish=wish, is_told=not as_json)
    asked = adding.asked(what)
    if not as_json and not only_looks and (already := adding.already(asked)):
        tell(already)
        return 0
    shown = adding.look(asked)
    if not as_json:
        show_preview(shown)
    wants_no_save = only_looks or (as_json and not is_sure)
    if wants_no_save or isinstance(shown.error, BadQuery):
        if as_json:
            print_json(to_json(shown, saved_in=None))
        if not wants_no_save:
            say("Nothing was saved.")
        return 1 if shown.error else 0
    if already := adding.already(asked):
        print_json(to_json(shown, saved_in=None))
        tell(already)
        return 0
    agreed = shown if is_sure else _agreed(adding, shown, asks_first_run=first_run is None and watch is None)
    if agreed is None:
        say("Nothing was saved.")
        return 0
    adding.save(agreed)
    if as_json:
        print_json(to_json(agreed, saved_in=str(adding.written.path)))
    return 3 if agreed.error else 0


def _agreed(adding: "Adding", shown: Shown, *, asks_first_run: bool) -> Shown | None:
    """The query as the person at the terminal wants it saved, None for a no."""
    if not is_terminal():
        raise ConfigError(NOT_SAVED_HERE)
    if shown.error and not confirmed("It could not be looked at. Save it all the same?", default=False):
        return None
    if adding.wish.watch is not None:
        is_wanted = bool(shown.error) or confirmed(f'Add it to "{shown.watch.name}"?', default=True)
        return shown if is_wanted else None
    name = shown.watch.name if shown.error else named(f'Save as "{printable(shown.watch.name)}"?', shown.watch.name)
    if name is None:
        return None
    run = adding.wish.first_run
    if asks_first_run:
        run = cast(FirstRun, chosen("How much of what is there now is sent to you?", FIRST_RUNS, "24h"))
    adding.wish = replace(adding.wish, name=name, first_run=run)
    return adding.renamed(shown)


@dataclass(slots=True)
class Adding:
    """One query on its way into the configuration."""

    session: Session
    written: WrittenConfig
    wish: Wish
    is_told: bool

    def asked(self, what: Sequence[str]) -> Asked:
        """What the user wants, by address or by words; an address that no source knows is looked up."""
        wanted = wanted_by(what, self.written.sources)
        if self.wish.watch is not None:
            require_known([self.wish.watch], self.written.watch_names, "watch")
        asked = wanted.asked or self._discovered(wanted.address)
        source = self.written.sources[asked.source]
        return replace(asked, params=merged(asked.params, known_flags(wanted.flags, source), source))

    def already(self, asked: Asked) -> str:
        """That a watch asks the same, in a sentence; empty where none does, or where a watch is named for it."""
        is_named = self.wish.watch is not None or self.wish.name is not None
        asking = [] if is_named else self._asking(asked)
        return ASKED_ALREADY.format(watch=asking[0]) + ANOTHER_WATCH if asking else ""

    def _asking(self, asked: Asked) -> list[str]:
        return asking_already(self.written.text, asked, self.written.sources[asked.source])

    def look(self, asked: Asked) -> Shown:
        """The newest entries; an error of the source is shown, not raised."""
        name = self.wish.watch or self.wish.name or propose_name(asked, self.written.watch_names)
        text, config, watch, query = self._tried(asked, name, self.wish)
        if self.is_told:
            show_asked(asked)
        with self.session.looking(config) as app:
            is_new, now = self.wish.watch is None, app.clock.now()
            missing = missing_in_practice(asked.source, config.sources[asked.source])
            shown = Shown(asked=asked, watch=watch, query=query, text=text, is_new=is_new, now=now, missing=missing)
            try:
                return replace(shown, looked=app.preview().look(watch, query))
            except SourceError as error:
                return replace(shown, error=error)

    def renamed(self, shown: Shown) -> Shown:
        """The same under the name and with the first run that were chosen."""
        text, _, watch, query = self._tried(shown.asked, self.wish.name or shown.watch.name, self.wish)
        return replace(shown, text=text, watch=watch, query=query)

    def save(self, shown: Shown) -> None:
        """Write the configuration, all of the change or nothing."""
        path, name = self.written.path, shown.watch.name
        if self.written.is_new:
            create_file(path, shown.text)
        else:
            source = self.written.sources[shown.asked.source]
            change_file(path, lambda text: with_asked(text, shown.asked, self.wish, name, source), self.written.parse)
        did = f"Added to {name!r}" if self.wish.watch else f"Saved as {name!r}"
        tell(f"{did} in {shown_path(path)}{_sent_to(shown.watch)} Next: radar fetch {shlex.quote(name)}")

    def _tried(self, asked: Asked, name: str, wish: Wish) -> tuple[str, Config, Watch, Query]:
        """The text as it would be written, and what it means; raises ConfigError with every mistake."""
        source = self.written.sources[asked.source]
        if mistakes := source.check(asked.params):
            raise ConfigError("\n".join([f"{asked.source} does not take this:", *(f"  {one}" for one in mistakes)]))
        if wish.watch is None:
            require_new_name(self.written.text, name)
        elif wish.watch in self._asking(asked):
            raise ConfigError(ASKED_ALREADY.format(watch=wish.watch))
        text = with_asked(self.written.text, asked, wish, name, source)
        config = self.written.parse(text)
        watch = next(one for one in config.watches if one.name == name.strip())
        return text, config, watch, watch.queries[-1]

    def _discovered(self, url: str) -> Asked:
        """The feed or board behind an address that no source knows."""
        asked = Asked(source="feed", params={"url": url})
        # as a feed of its own, so that an address in the user's network may be asked
        _, config, _, _ = self._tried(asked, propose_name(asked, self.written.watch_names), Wish())
        with self.session.looking(config) as app:
            answer = app.http.send("", Request(url=url))
        found = _known(answer.url) if answer.url != url else None
        offered = [found] if found else offers(url, answer)
        if not offered:
            raise Unreadable(without_offer(url, answer))
        best, *others = offered
        if self.is_told:
            for other in others:
                show(printable(f"The page also offers {other.source} {next(iter(other.params.values()))}"))
        return best


def _sent_to(watch: Watch) -> str:
    """The end of the sentence on a saved watch: who hears of it."""
    if watch.deliver:
        return f"; what fits is sent to {' and '.join(watch.deliver)}."
    return "." if watch.kind == "price" else ", and sent nowhere: you find it by radar and on the web page."


def _known(url: str) -> Asked | None:
    """What a page asks that an address led to."""
    try:
        return read_search_url(url)
    except NotASearch:
        return None
