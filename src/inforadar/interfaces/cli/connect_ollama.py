"""`radar connect ollama`: find the model server, try a model on a tiny question, and tell or write its lines."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import click

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.config.schema import JUDGE_ADDRESSES, JUDGE_MODELS
from inforadar.domain.errors import NoVerdict, Refused, Unavailable, Unreadable
from inforadar.domain.verdict import Question
from inforadar.interfaces.cli.asking import chosen, is_terminal
from inforadar.interfaces.cli.connect_lines import config_so_far, show_lines, toml_lines, toml_text, write_lines
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.session import Session
from inforadar.judges.ollama import full_name, list_models
from inforadar.observe.printable import printable

OLLAMA = "ollama"
TINY = Question(
    profile="Python developer in Madrid",
    title="Senior Python developer",
    place="Madrid",
    text="We look for a Python developer with Django and PostgreSQL for our team in Madrid.",
)


@click.command(
    OLLAMA,
    short_help="Find your Ollama server and try a model.",
    help="""Find an Ollama server, let one of its models judge a tiny question, and tell how long that took.

    \b
    Examples:
      radar connect ollama
      radar connect ollama --url http://192.168.1.5:11434 --model qwen3:8b --write
    """,
)
@click.option("--url", metavar="ADDRESS", help="Where the server is; that of [judge], else http://127.0.0.1:11434.")
@click.option("--model", metavar="NAME", help="The model to try; that of [judge], or asked for in a terminal.")
@click.option("--write", "writes", is_flag=True, help="Write the lines into the configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def ollama_command(session: Session, url: str | None, model: str | None, writes: bool, as_json: bool) -> None:
    """List the models, try one, tell the lines."""
    config = config_so_far(session)
    known = config.judge if config.judge.kind == OLLAMA else None
    base_url = (url or (known.base_url if known else JUDGE_ADDRESSES[OLLAMA])).rstrip("/")
    wanted = model or (known.model if known else None)
    found = _tried(session, _with_judge(config, base_url, ""), wanted, is_must=model is not None)
    settings = _settings(found)
    found |= {"toml": toml_lines("judge", settings)}
    if not as_json:
        show_lines(config, "judge", settings, writes=writes)
    found["is_written"] = writes and write_lines(config, "judge", settings)
    if as_json:
        print_json(found)


def _with_judge(config: Config, base_url: str, model: str) -> Config:
    """A key of another server is not for this one."""
    judge = config.judge
    token = judge.token if judge.kind == OLLAMA and judge.base_url == base_url else None
    return replace(config, judge=replace(judge, kind=OLLAMA, base_url=base_url, model=model, token=token))


def _tried(session: Session, config: Config, wanted: str | None, *, is_must: bool) -> dict[str, Any]:
    """The model and how it answered; raises SourceError with the remedy."""
    with session.looking(config) as app:
        models = _models(app)
        model = _model(models, wanted, is_must=is_must)
        say(f"{model} judges a tiny question. The first time it must be loaded, which may take a minute ...")
    with session.looking(_with_judge(config, config.judge.base_url, model)) as app:
        began_s = app.clock.mono()
        try:
            verdict = app.judge().judge(TINY)
        except (NoVerdict, Unreadable) as error:
            raise Unreadable(f"{model} gave no usable answer ({error}). Try another one: --model NAME") from error
        seconds = round(app.clock.mono() - began_s, 1)
    say(f"It answered in {seconds} s: score {verdict.score:.2f}, {printable(verdict.reason)}")
    return {
        "base_url": config.judge.base_url,
        "models": models,
        "model": model,
        "seconds": seconds,
        "score": verdict.score,
        "reason": verdict.reason,
    }


def _models(app: App) -> list[str]:
    url, token = app.config.judge.base_url, app.config.judge.token
    try:
        models = sorted(list_models(app.http, url, token.reveal() if token else None))
    except Unavailable as error:
        raise Unavailable(
            f"No Ollama answers at {url} ({error}). Start it: `ollama serve`; or name another address: --url ADDRESS"
        ) from error
    except Unreadable as error:
        raise Unreadable(f"What answers at {url} is no Ollama. Name its address: --url ADDRESS") from error
    if not models:
        raise Refused(f"The Ollama at {url} has no model yet. Get one: `ollama pull {JUDGE_MODELS[OLLAMA]}`")
    say(f"The Ollama at {url} has {', '.join(map(printable, models))}.")
    return models


def _model(models: Collection[str], wanted: str | None, *, is_must: bool) -> str:
    """The one that was named, the one there is, or the one a person chooses; without a terminal the usual or first."""
    for name in filter(None, (wanted, None if is_must else JUDGE_MODELS[OLLAMA])):
        if full_name(name) in models:
            return name
    if is_must:
        raise Refused(f"This Ollama does not have {wanted}. Get it: `ollama pull {wanted}`")
    first = next(iter(models))
    if len(models) == 1 or not is_terminal():
        return first
    return chosen("Which model is to judge?", dict.fromkeys(models, ""), first)


def _settings(found: Mapping[str, Any]) -> dict[str, str]:
    return {
        "kind": toml_text(OLLAMA),
        "base_url": toml_text(found["base_url"]),
        "model": toml_text(found["model"]),
    }
