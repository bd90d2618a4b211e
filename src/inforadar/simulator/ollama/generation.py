"""One answer of the model: its content, its thinking and the counts, and what faults make of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inforadar.simulator.faults import Fault
from inforadar.simulator.ollama.filling import PLAIN_SCHEMA, fill
from inforadar.simulator.ollama.obeying import obeyed
from inforadar.simulator.ollama.prompts import CHARS_PER_TOKEN, Ask, Prompt, read_prompt, token_count
from inforadar.simulator.ollama.scorer import Opinion, opinion_on

REFUSAL = "I'm sorry, but I can't help with that request."
THOUGHT = "Okay, let me compare the posting with the profile word by word before I answer.\n"
PIECE_CHARS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What the model answered to a prompt."""

    prompt: Prompt
    opinion: Opinion
    content: str
    thinking: str = ""
    is_cut: bool = False

    @property
    def reason(self) -> str:
        """Why it stopped, in Ollama's words."""
        return "length" if self.is_cut else "stop"

    @property
    def tokens(self) -> int:
        """How many tokens it wrote."""
        return token_count(self.content) + token_count(self.thinking)

    @property
    def pieces(self) -> list[str]:
        """The content as a stream gives it, bit by bit."""
        return [self.content[at : at + PIECE_CHARS] for at in range(0, len(self.content), PIECE_CHARS)]


def generate(ask: Ask, seed: int, fault: Fault | None, *, obeys: bool) -> Generation:
    """The model's answer to a question; the same seed and question give the same answer."""
    prompt = read_prompt(ask)
    opinion = opinion_on(seed, prompt.profile, prompt.item)
    content = (obeyed(prompt.item, _values(ask.schema, opinion)) if obeys else None) or _content(ask.schema, opinion)
    generation = Generation(prompt=prompt, opinion=opinion, content=content, thinking=THOUGHT if ask.thinks else "")
    return _limited(_spoiled(generation, fault), ask.limit)


def _content(schema: Any, opinion: Opinion) -> str:
    if schema is None:
        return f"{opinion.reason} I would give it {opinion.score} of 1."
    return json.dumps(_values(schema, opinion), ensure_ascii=False)


def _values(schema: Any, opinion: Opinion) -> Any:
    return fill(schema if isinstance(schema, dict) else PLAIN_SCHEMA, opinion)


def _limited(generation: Generation, limit: int) -> Generation:
    """Stop after so many tokens; a negative limit is none."""
    if limit < 0 or token_count(generation.content) <= limit:
        return generation
    return replace(generation, content=generation.content[: limit * CHARS_PER_TOKEN], is_cut=True)


def _spoiled(generation: Generation, fault: Fault | None) -> Generation:
    spoil = SPOILS.get(fault.kind) if fault else None
    return spoil(generation, fault) if spoil and fault else generation


def _cut_answer(generation: Generation, _: Fault) -> Generation:
    return replace(generation, content=generation.content[: len(generation.content) // 2], is_cut=True)


def _invalid_json(generation: Generation, _: Fault) -> Generation:
    return replace(generation, content=f"Sure! Here is the JSON:\n{generation.content.rstrip('}')},,")


def _refusal(generation: Generation, _: Fault) -> Generation:
    return replace(generation, content=REFUSAL)


def _empty_answer(generation: Generation, _: Fault) -> Generation:
    return replace(generation, content="")


def _thinking(generation: Generation, _: Fault) -> Generation:
    return replace(generation, thinking=THOUGHT)


def _changed(change: Callable[[dict[str, Any], Fault], dict[str, Any]]) -> Callable[[Generation, Fault], Generation]:
    """A fault that changes the values of an answer which is a JSON object, and leaves any other."""

    def spoil(generation: Generation, fault: Fault) -> Generation:
        try:
            values = json.loads(generation.content)
        except ValueError:
            return generation
        return replace(generation, content=json.dumps(change(values, fault), ensure_ascii=False))

    return spoil


def _with_extras(values: dict[str, Any], _: Fault) -> dict[str, Any]:
    return {**values, "confidence": 0.99, "tool_calls": [{"name": "send_message", "arguments": {"text": "hello"}}]}


def _with_less(values: dict[str, Any], _: Fault) -> dict[str, Any]:
    return dict(list(values.items())[1:])


def _with_wrong_types(values: dict[str, Any], _: Fault) -> dict[str, Any]:
    return {name: [value] if isinstance(value, str) else str(value) for name, value in values.items()}


def _out_of_range(values: dict[str, Any], fault: Fault) -> dict[str, Any]:
    return {**values, "score": float(fault.value) if fault.value.lstrip("-").replace(".", "").isdecimal() else 100}


SPOILS: Mapping[str, Callable[[Generation, Fault], Generation]] = {
    "cut_answer": _cut_answer,
    "invalid_json": _invalid_json,
    "refusal": _refusal,
    "empty_answer": _empty_answer,
    "thinking": _thinking,
    "extra_properties": _changed(_with_extras),
    "missing_properties": _changed(_with_less),
    "wrong_types": _changed(_with_wrong_types),
    "score_out_of_range": _changed(_out_of_range),
}
