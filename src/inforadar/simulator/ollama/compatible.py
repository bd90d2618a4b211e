"""The OpenAI-compatible door: reading /v1/chat/completions, and drawing its answers, whole or as events."""

import json
from typing import Any

from inforadar.simulator.ollama.generation import Generation
from inforadar.simulator.ollama.problems import RUNNER_DIED, ModelError, error_body
from inforadar.simulator.ollama.prompts import DEFAULT_CONTEXT, Ask, messages_of
from inforadar.simulator.wire import Call, Response, json_response

Json = dict[str, Any]


def read_ask(body: Json) -> Ask:
    """The question in a request's body; there is no way to set the context here."""
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or -1
    return Ask(
        door="completions",
        model=str(body.get("model") or ""),
        messages=messages_of(body.get("messages")),
        schema=_format(body.get("response_format")),
        is_streamed=bool(body.get("stream")),
        context=DEFAULT_CONTEXT,
        limit=int(limit),
    )


def draw(ask: Ask, generation: Generation, call: Call, *, has_usage: bool, breaks: bool) -> Response:
    """The answer; one that breaks ends in an error, in the middle of a stream or instead of the whole."""
    if breaks and not ask.is_streamed:
        raise ModelError(500, RUNNER_DIED)
    if ask.is_streamed:
        return _events(ask, generation, call, has_usage=has_usage, breaks=breaks)
    message = {"role": "assistant", "content": generation.content}
    if generation.thinking:
        message["reasoning"] = generation.thinking
    choice = {"index": 0, "message": message, "finish_reason": generation.reason}
    body = {**_head(ask, call, "chat.completion"), "choices": [choice], "usage": _usage(generation)}
    return json_response(body)


def _format(given: Any) -> Any:
    if not isinstance(given, dict) or given.get("type") in (None, "text"):
        return None
    if given["type"] == "json_schema":
        return (given.get("json_schema") or {}).get("schema")
    return "json"


def _events(ask: Ask, generation: Generation, call: Call, *, has_usage: bool, breaks: bool) -> Response:
    head = _head(ask, call, "chat.completion.chunk")
    thoughts = [generation.thinking] if generation.thinking else []
    deltas = [{"role": "assistant", "content": "", "reasoning": thought} for thought in thoughts]
    deltas += [{"role": "assistant", "content": piece} for piece in generation.pieces]
    events = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if breaks:
        error = error_body(ModelError(500, RUNNER_DIED), is_compatible=True)
        return _stream([*events[: len(events) // 2], error], ends=False)
    end = {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": generation.reason}
    events.append({**head, "choices": [end]})
    if has_usage:
        events.append({**head, "choices": [], "usage": _usage(generation)})
    return _stream(events, ends=True)


def _stream(events: list[Json], *, ends: bool) -> Response:
    lines = [json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in events]
    body = "".join(f"data: {line}\n\n" for line in [*lines, *(["[DONE]"] if ends else [])])
    return Response(headers=(("Content-Type", "text/event-stream"),), body=body.encode(), delivery="stream")


def _head(ask: Ask, call: Call, kind: str) -> Json:
    return {
        "id": f"chatcmpl-{call.numbered('completion', 3)}",
        "object": kind,
        "created": int(call.now.timestamp()),
        "model": ask.model,
        "system_fingerprint": "fp_ollama",
    }


def _usage(generation: Generation) -> Json:
    read, written = generation.prompt.tokens, generation.tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
