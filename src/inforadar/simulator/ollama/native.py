"""Ollama's own API: reading /api/chat and /api/generate, and drawing their answers, whole or as a stream."""

import json
from datetime import datetime
from typing import Any

from inforadar.simulator.ollama.generation import Generation
from inforadar.simulator.ollama.problems import RUNNER_DIED, ModelError
from inforadar.simulator.ollama.prompts import DEFAULT_CONTEXT, Ask, messages_of
from inforadar.simulator.wire import Response, json_response

Json = dict[str, Any]
LOAD_NS = 29_176_166
PROMPT_NS_PER_TOKEN = 1_300_000
ANSWER_NS_PER_TOKEN = 14_000_000
STREAM_TYPE = ("Content-Type", "application/x-ndjson")


def read_ask(body: Json, method: str) -> Ask:
    """The question in a request's body; sampling values belong into `options` and count nowhere else."""
    options = body.get("options") or {}
    if method == "chat":
        messages = messages_of(body.get("messages"))
    else:
        texts = (("system", str(body.get("system") or "")), ("user", str(body.get("prompt") or "")))
        messages = tuple(pair for pair in texts if pair[1])
    return Ask(
        door=method,
        model=str(body.get("model") or ""),
        messages=messages,
        schema=_format(body.get("format")),
        is_streamed=body.get("stream") is not False,
        thinks=bool(body.get("think")),
        context=int(options.get("num_ctx") or DEFAULT_CONTEXT),
        limit=int(options.get("num_predict", -1)),
    )


def draw(ask: Ask, generation: Generation, now: datetime, *, breaks: bool) -> Response:
    """The answer; one that breaks ends in an error, in the middle of a stream or instead of the whole."""
    if breaks and not ask.is_streamed:
        raise ModelError(500, RUNNER_DIED)
    last = {
        **_head(ask, now, "" if ask.is_streamed else generation.content),
        "done_reason": generation.reason,
        "done": True,
        **_metrics(generation),
    }
    if not ask.is_streamed:
        _think(ask, last, generation.thinking)
        return json_response(last)
    lines = [_think(ask, _head(ask, now, ""), generation.thinking)] if generation.thinking else []
    lines += [_head(ask, now, piece) for piece in generation.pieces]
    lines = [{**line, "done": False} for line in lines]
    if breaks:
        return _stream([*lines[: len(lines) // 2], {"error": RUNNER_DIED}])
    return _stream([*lines, last])


def loaded(ask: Ask, now: datetime, *, unloads: bool) -> Response:
    """The answer to a question without messages, which only loads or unloads the model."""
    return json_response({**_head(ask, now, ""), "done_reason": "unload" if unloads else "load", "done": True})


def moment(now: datetime) -> str:
    """A moment as Ollama writes it."""
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _format(given: Any) -> Any:
    if given in (None, ""):
        return None
    if given == "json" or isinstance(given, dict):
        return given
    raise ModelError(400, f'invalid format: {json.dumps(given)}; expected "json" or a valid JSON Schema object')


def _head(ask: Ask, now: datetime, content: str) -> Json:
    said = {"message": {"role": "assistant", "content": content}} if ask.door == "chat" else {"response": content}
    return {"model": ask.model, "created_at": moment(now), **said}


def _think(ask: Ask, line: Json, thinking: str) -> Json:
    if thinking:
        (line["message"] if ask.door == "chat" else line)["thinking"] = thinking
    return line


def _metrics(generation: Generation) -> Json:
    prompt_ns = generation.prompt.tokens * PROMPT_NS_PER_TOKEN
    answer_ns = generation.tokens * ANSWER_NS_PER_TOKEN
    return {
        "total_duration": LOAD_NS + prompt_ns + answer_ns,
        "load_duration": LOAD_NS,
        "prompt_eval_count": generation.prompt.tokens,
        "prompt_eval_duration": prompt_ns,
        "eval_count": generation.tokens,
        "eval_duration": answer_ns,
    }


def _stream(lines: list[Json]) -> Response:
    body = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    return Response(headers=(STREAM_TYPE,), body=body.encode(), delivery="stream")
