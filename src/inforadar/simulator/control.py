"""The door for whoever steers the world: JSON under `/_sim/`.

GET  state                                  time, counts, requests so far
GET  log?source=                            every request, to sites and services
GET  truth?source=&since=&until=&<site's own list parameters>
GET  labels                                 what a scenario meant each entry to be: {source: {id: label}}
POST advance {seconds | to}
POST faults [{kind, source, ...}, ...]      these on, all others off
POST rules {name: value}                    habits of the sites, and move_seconds_per_request
POST add, withdraw, bump, edit, hide, show  {source, id, ...}: scripted events
POST page {source, id, state, visits?}      the state of an entry's own page: open, closed, gone, captcha, ...
POST down {name, since?, until?, status?}, up {name}   a site or service over a stretch of the world's time
POST script [{source, before_list, do, ...}]  the same events, just before a site's so-manieth list request
POST reset                                  forget the log

`telegram/...`, `sheets/...` and `ollama/...` are the doors of the services: see `control_services`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zlib import crc32

from inforadar.simulator import control_services
from inforadar.simulator.doors import told
from inforadar.simulator.entry import Salary
from inforadar.simulator.faults import fault_from
from inforadar.simulator.internet import Internet
from inforadar.simulator.vocabulary import COMPANIES, PLACES, Company
from inforadar.simulator.wire import Pairs, Response, first, json_response
from inforadar.simulator.world import SOURCES, World

Json = Mapping[str, Any]
TRUTH_PARAMS = ("source", "since", "until", "path")


def steer(internet: Internet, method: str, name: str, params: Pairs, body: Any) -> Response:
    """Answer one request at the door; a mistake is a 400 that says what is wrong."""
    action = (READ if method == "GET" else CHANGE).get(name)
    if action is None:
        return json_response({"error": f"there is no {method} /_sim/{name}"}, 404)
    try:
        with internet.lock:
            internet.tick()
            return json_response(action(internet, params if method == "GET" else body))
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as mistake:
        return json_response({"error": f"{_sentence(mistake)}; the door is {told(method, name)}"}, 400)


def _sentence(mistake: Exception) -> str:
    """What is wrong with what came to a door, in words."""
    if isinstance(mistake, KeyError):
        return f"{mistake.args[0]} is missing or not known"
    return str(mistake) if isinstance(mistake, ValueError) else f"it does not take this ({mistake})"


def perform(world: World, event: Json) -> Json:
    """Let one scripted event happen: what to `do`, at which `source`, with what."""
    values = dict(event)
    do, source = values.pop("do"), values.pop("source")
    if do not in EVENTS or source not in SOURCES:
        raise ValueError(f"do is one of {', '.join(EVENTS)}; source is one of {', '.join(SOURCES)}")
    return EVENTS[do](world, source, _typed(values))


def _state(internet: Internet, _: Pairs) -> Json:
    world = internet.world
    return {
        "now": world.now.isoformat(),
        "seed": world.seed,
        "counts": world.counts(),
        "requests": len(internet.log),
        "rules": asdict(internet.rules),
        "outages": internet.outages.as_json(),
        "most_at_once": dict(internet.most_at_once),
        "move_seconds_per_request": internet.move_seconds_per_request,
    }


def _log(internet: Internet, params: Pairs) -> Json:
    source = first(params, "source")
    return {"log": [line.as_json() for line in internet.log if source in ("", line.source)]}


def _labels(internet: Internet, _: Pairs) -> Json:
    shown: dict[str, dict[str, str]] = {source: {} for source in SOURCES}
    for (source, entry_id), label in internet.world.labels.items():
        shown[source][entry_id] = label
    return shown


def _truth(internet: Internet, params: Pairs) -> Json:
    source, world = first(params, "source"), internet.world
    if source not in internet.sites:
        raise ValueError(f"source is one of {', '.join(internet.sites)}")
    asked = tuple(pair for pair in params if pair[0] not in TRUTH_PARAMS)
    search = internet.search(source, asked, first(params, "path") or None)
    since = _moment(first(params, "since") or world.start_at.isoformat())
    until = _moment(first(params, "until") or world.now.isoformat())
    ever = world.ever_visible_ids(search)
    return {
        "now": world.now.isoformat(),
        "visible": [entry.id for entry in world.listing(search)],
        "ever": sorted(ever, key=int),
        "throughout": sorted(world.visible_throughout(search, since, until), key=int),
        "spans": {
            entry_id: [[end and end.isoformat() for end in span] for span in world.spans(source, entry_id)]
            for entry_id in sorted(ever, key=int)
        },
    }


def _advance(internet: Internet, body: Json) -> Json:
    to = _moment(body["to"]) if "to" in body else None
    return {"now": internet.advance(float(body.get("seconds", 0)), to=to).isoformat()}


def _faults(internet: Internet, body: list[Json]) -> Json:
    faults = [fault_from(values) for values in body]
    internet.faults.replace(faults)
    return {"faults": [asdict(fault) for fault in faults]}


def _rules(internet: Internet, body: Json) -> Json:
    changes = dict(body)
    internet.move_seconds_per_request = float(
        changes.pop("move_seconds_per_request", internet.move_seconds_per_request)
    )
    internet.change_rules(**changes)
    return _state(internet, ())


def _down(internet: Internet, body: Json) -> Json:
    name, now = _name(internet, body), internet.world.now
    since = _moment(body["since"]) if body.get("since") else now
    until = _moment(body["until"]) if body.get("until") else None
    internet.outages.begin(name, since, until, body.get("status"))
    return internet.outages.as_json()


def _up(internet: Internet, body: Json) -> Json:
    internet.outages.end(_name(internet, body))
    return internet.outages.as_json()


def _name(internet: Internet, body: Json) -> str:
    if body["name"] not in (*SOURCES, *internet.services):
        raise ValueError(f"name is one of {', '.join((*SOURCES, *internet.services))}")
    return str(body["name"])


def _script(internet: Internet, body: list[Json]) -> Json:
    for planned in body:
        event = dict(planned)
        number = int(event.pop("before_list"))
        internet.before_list(event["source"], number, partial(perform, event=event))
    return {"planned": len(body)}


def _reset(internet: Internet, _: Json | None) -> Json:
    internet.reset_log()
    return _state(internet, ())


def _event(do: str) -> Callable[[Internet, Any], Json]:
    return lambda internet, body: perform(internet.world, {**body, "do": do})


def _add(world: World, source: str, values: dict[str, Any]) -> Json:
    entry = world.add(source, **values)
    return {"id": entry.id, "title": entry.title, "published_at": entry.published_at.isoformat()}


def _changes(method: Callable[..., None]) -> Callable[[World, str, dict[str, Any]], Json]:
    def change(world: World, source: str, values: dict[str, Any]) -> Json:
        entry_id = str(values.pop("id"))
        method(world, source, entry_id, **values)
        return {"id": entry_id}

    return change


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    """JSON values as an entry holds them: moments, tuples, a place by its city, a company by its name."""
    typed: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    for name in {"published_at", "created_at"} & typed.keys():
        typed[name] = _moment(typed[name])
    if "city" in typed:
        city = typed.pop("city")
        typed["place"] = next(place for place in PLACES if place.city == city)
    if "company" in typed:
        typed["company"] = _company(typed["company"])
    if typed.get("salary"):
        typed["salary"] = Salary(**typed["salary"])
    return typed


def _company(name: str) -> Company:
    known = (company for company in COMPANIES if company.name == name)
    return next(known, Company(id=str(9_000_000 + crc32(name.encode())), name=name, slug=None))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


EVENTS: dict[str, Callable[[World, str, dict[str, Any]], Json]] = {
    "add": _add,
    "withdraw": _changes(World.withdraw),
    "bump": _changes(World.bump),
    "edit": _changes(World.edit),
    "hide": _changes(World.hide),
    "show": _changes(World.show),
    "page": _changes(World.set_page),
}
READ: dict[str, Callable[[Internet, Any], Json]] = {
    "state": _state,
    "log": _log,
    "truth": _truth,
    "labels": _labels,
    **control_services.READ,
}
CHANGE: dict[str, Callable[[Internet, Any], Json]] = {
    "advance": _advance,
    "faults": _faults,
    "rules": _rules,
    "script": _script,
    "reset": _reset,
    "down": _down,
    "up": _up,
    **control_services.CHANGE,
    **{do: _event(do) for do in EVENTS},
}
