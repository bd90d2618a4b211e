"""The model server as a whole: its addresses, keys, models, faults, and a log of what it was asked."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from inforadar.simulator.faults import Fault
from inforadar.simulator.ollama import catalogue, compatible, native
from inforadar.simulator.ollama.generation import Generation, generate
from inforadar.simulator.ollama.problems import BUSY, NO_MEMORY, ModelError, error_response, no_model
from inforadar.simulator.ollama.prompts import Ask
from inforadar.simulator.ollama.scorer import Opinion, opinion_on
from inforadar.simulator.rules import Rules
from inforadar.simulator.service import met_after, met_before
from inforadar.simulator.wire import Call, Response, json_response

VERSION = "0.12.6"
METHODS: Mapping[str, str] = {
    "/": "root",
    "/api/chat": "chat",
    "/api/generate": "generate",
    "/api/tags": "tags",
    "/api/version": "version",
    "/api/ps": "ps",
    "/v1/chat/completions": "completions",
    "/v1/models": "models",
}
ASKING = ("chat", "generate", "completions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question the model answered, and how."""

    number: int
    at: datetime
    door: str
    model: str
    profile: str
    item: str
    prompt: str
    schema: Any
    context: int
    prompt_tokens: int
    is_truncated: bool
    score: float
    content: str
    fault: str

    def as_json(self) -> dict[str, Any]:
        """The line as plain JSON values."""
        return {**asdict(self), "at": self.at.isoformat()}


class Ollama:
    """The model server; `asked` holds every question that got an answer."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.asked: list[Asked] = []
        self._loaded: dict[str, None] = {}

    def opinion(self, profile: str, item: str) -> Opinion:
        """What the model thinks of an item for a profile, so that a test can know it before."""
        return opinion_on(self.seed, profile, item)

    def method_of(self, path: str) -> str:
        """The method a path means, empty if none."""
        return METHODS.get(re.sub(r"(?<=.)/+$", "", path), "")

    def answer(self, call: Call, rules: Rules, fault: Fault | None) -> Response:
        """What the server answers to one call."""
        refused = met_before(fault)
        if refused:
            return refused
        is_compatible = call.path.startswith("/v1")
        try:
            return met_after(fault, self._perform(call, rules, fault))
        except ModelError as error:
            retry_after_s = fault.seconds if fault and error.status == 429 else None
            return error_response(error, is_compatible=is_compatible, retry_after_s=retry_after_s)

    def close(self) -> None:
        """Nothing waits here."""

    def _perform(self, call: Call, rules: Rules, fault: Fault | None) -> Response:
        method = self.method_of(call.path)
        _check_key(call, rules)
        if method in ASKING:
            return self._asked(call, rules, fault, method)
        _meet(fault, "")
        if method == "root":
            return Response(headers=(("Content-Type", "text/plain; charset=utf-8"),), body=b"Ollama is running")
        if method == "version":
            return json_response({"version": VERSION})
        if method == "tags":
            return json_response(catalogue.tags(rules.ollama_models))
        if method == "ps":
            return json_response(catalogue.running(self._loaded, call.now))
        if method == "models":
            return json_response(catalogue.listed(rules.ollama_models))
        return Response(status=404, headers=(("Content-Type", "text/plain"),), body=b"404 page not found")

    def _asked(self, call: Call, rules: Rules, fault: Fault | None, method: str) -> Response:
        if call.verb != "POST":
            return Response(status=405, headers=(("Content-Type", "text/plain"),), body=b"405 method not allowed")
        body = _object(call.body)
        ask = compatible.read_ask(body) if method == "completions" else native.read_ask(body, method)
        _check_model(ask, rules)
        _meet(fault, ask.model)
        if not ask.messages:
            return self._load(ask, body, call.now)
        self._loaded[catalogue.full_name(ask.model)] = None
        ask = replace(ask, thinks=ask.thinks or rules.ollama_thinks)
        generation = generate(ask, self.seed, fault, obeys=rules.ollama_obeys)
        self._note(call, ask, generation, fault)
        breaks = fault is not None and fault.kind == "stream_error"
        if method != "completions":
            return native.draw(ask, generation, call.now, breaks=breaks)
        has_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return compatible.draw(ask, generation, call, has_usage=has_usage, breaks=breaks)

    def _load(self, ask: Ask, body: Mapping[str, Any], now: datetime) -> Response:
        if ask.door == "completions":
            raise ModelError(400, "[] is too short - 'messages'")
        unloads = body.get("keep_alive") in (0, "0", "0s")
        self._loaded.pop(catalogue.full_name(ask.model), None)
        if not unloads:
            self._loaded[catalogue.full_name(ask.model)] = None
        return native.loaded(ask, now, unloads=unloads)

    def _note(self, call: Call, ask: Ask, generation: Generation, fault: Fault | None) -> None:
        asked = Asked(
            number=call.number,
            at=call.now,
            door=ask.door,
            model=ask.model,
            profile=generation.prompt.profile,
            item=generation.prompt.item,
            prompt=generation.prompt.text,
            schema=ask.schema,
            context=ask.context,
            prompt_tokens=generation.prompt.tokens,
            is_truncated=generation.prompt.is_truncated,
            score=generation.opinion.score,
            content=generation.content,
            fault=fault.kind if fault else "",
        )
        self.asked.append(asked)


def _object(body: bytes) -> dict[str, Any]:
    if not body:
        raise ModelError(400, "missing request body")
    try:
        value = json.loads(body)
    except ValueError:
        raise ModelError(400, "invalid character looking for beginning of value") from None
    if not isinstance(value, dict):
        raise ModelError(400, "json: cannot unmarshal value into Go value of type api.ChatRequest")
    return value


def _check_key(call: Call, rules: Rules) -> None:
    key = call.headers.get("authorization", "").removeprefix("Bearer ")
    if rules.ollama_key and key != rules.ollama_key:
        raise ModelError(401, "Unauthorized")


def _check_model(ask: Ask, rules: Rules) -> None:
    if not ask.model:
        raise ModelError(400, "model is required")
    if catalogue.full_name(ask.model) not in map(catalogue.full_name, rules.ollama_models):
        raise no_model(ask.model)


def _meet(fault: Fault | None, model: str) -> None:
    """Refuse the call where the fault is one of the server's own."""
    if fault is None:
        return
    if fault.kind == "busy":
        raise ModelError(503, BUSY)
    if fault.kind == "model_missing" and model:
        raise no_model(model)
    if fault.kind == "out_of_memory":
        raise ModelError(500, NO_MEMORY)
    if fault.kind == "rate_limited":
        raise ModelError(429, "Too many requests")
    if fault.kind == "unauthorized":
        raise ModelError(401, "Unauthorized")
