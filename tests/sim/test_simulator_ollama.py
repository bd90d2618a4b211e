"""The model server of the simulator: both doors, streams, schemas, contexts, and the scorer tests can predict."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from inforadar.simulator.ollama.scorer import opinion_on
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, Reply, control, post_json, visit

SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "relevant": {"type": "boolean"},
        "reason": {"type": "string", "maxLength": 200},
        "skills": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["score", "relevant", "reason", "skills"],
    "additionalProperties": False,
}
PROFILE = "Senior Python developer, PostgreSQL, Docker, remote"
ITEM = "Senior Python Developer. We use PostgreSQL and Docker. Remote."
RECORDED = "articles_sinks/ollama"


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def messages(item: str = ITEM, profile: str = PROFILE) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": "You judge postings. Answer in JSON."},
        {"role": "user", "content": f"<profile>{profile}</profile>\n<item>{item}</item>"},
    ]


def chat(simulator: Simulator, **changes: Any) -> Reply:
    body = {"model": "qwen3:8b", "messages": messages(), "stream": False, "format": SCHEMA, **changes}
    return post_json(simulator.service_urls["ollama"] + "/api/chat", body)


def generate(simulator: Simulator, **changes: Any) -> Reply:
    body = {"model": "qwen3:8b", "prompt": messages()[1]["content"], "stream": False, "format": SCHEMA, **changes}
    return post_json(simulator.service_urls["ollama"] + "/api/generate", body)


def complete(simulator: Simulator, **changes: Any) -> Reply:
    wanted = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}}
    body = {"model": "qwen3:8b", "messages": messages(), "response_format": wanted, **changes}
    return post_json(simulator.service_urls["ollama"] + "/v1/chat/completions", body)


def text(reply: Reply) -> str:
    assert reply.status == 200, reply.body
    found = reply.json
    if "response" in found:
        return str(found["response"])
    return str((found if "message" in found else found["choices"][0])["message"]["content"])


DOORS = {"chat": chat, "generate": generate, "completions": complete}


@pytest.mark.parametrize("door", DOORS)
def test_an_answer_fits_its_schema_and_its_score_can_be_predicted(simulator, door):
    answer = json.loads(text(DOORS[door](simulator)))
    jsonschema_rs.validate(SCHEMA, answer)
    expected = simulator.ollama.opinion(PROFILE, ITEM)
    assert (answer["score"], answer["reason"], answer["relevant"]) == (expected.score, expected.reason, True)
    assert answer["skills"] == ["Python", "PostgreSQL", "Docker"]
    asked = simulator.ollama.asked[-1]
    assert (asked.door, asked.profile, asked.item, asked.score) == (door, PROFILE, ITEM, expected.score)


def test_the_score_depends_on_seed_profile_and_item_and_on_nothing_else(simulator):
    first = opinion_on(1, PROFILE, ITEM)
    assert first == opinion_on(1, PROFILE, f"  {ITEM}\n ")
    assert first.score != opinion_on(2, PROFILE, ITEM).score
    assert first.score != opinion_on(1, PROFILE, f"{ITEM} Now.").score
    assert opinion_on(1, PROFILE, "Excel and cold calls").score < 0.2
    assert [json.loads(text(chat(simulator)))["score"] for _ in range(3)] == [first.score] * 3
    told = control(simulator, "ollama/opinion", body={"profile": PROFILE, "item": ITEM}).json
    assert (told["score"], told["is_relevant"]) == (first.score, True)


def test_words_of_the_profile_count_in_all_three_languages():
    for profile, item in (
        ("разработчик Python, базы данных", "Разработчик на Python: базы, данные и не только"),
        ("desarrollador Python, bases de datos", "Desarrollador Python con bases y datos"),
    ):
        assert len(opinion_on(1, profile, item).hits) >= 3


def test_unknown_properties_are_filled_by_their_types(simulator):
    schema = {
        "$defs": {"level": {"enum": ["low", "middle", "high"]}},
        "type": "object",
        "properties": {
            "score": {"type": "integer", "minimum": 0, "maximum": 100},
            "is_relevant": {"type": "boolean"},
            "level": {"$ref": "#/$defs/level"},
            "salary": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 5}]},
            "notes": {"type": "array", "items": {"type": "string"}, "minItems": 2},
            "deep": {"type": "object", "properties": {"explanation": {"type": "string", "minLength": 90}}},
            "fixed": {"const": "v1"},
            "nothing": {"type": "null"},
        },
        "required": ["score", "is_relevant", "level", "salary", "notes", "deep", "fixed", "nothing"],
    }
    answer = json.loads(text(chat(simulator, format=schema)))
    jsonschema_rs.validate(schema, answer)
    assert answer["score"] == round(100 * simulator.ollama.opinion(PROFILE, ITEM).score)
    assert (answer["level"], answer["fixed"], answer["nothing"]) == ("high", "v1", None)


def test_plain_json_and_plain_text_can_be_asked_for_and_anything_else_is_refused(simulator):
    assert set(json.loads(text(chat(simulator, format="json")))) == {"score", "relevant", "reason", "skills"}
    assert set(json.loads(text(complete(simulator, response_format={"type": "json_object"})))) >= {"score"}
    assert text(chat(simulator, format=None)).endswith("of 1.")
    wrong = chat(simulator, format="xml")
    assert (wrong.status, wrong.json) == (
        400,
        {"error": 'invalid format: "xml"; expected "json" or a valid JSON Schema object'},
    )


@pytest.mark.parametrize("door", ["chat", "generate"])
def test_the_native_door_streams_lines_unless_told_not_to(simulator, door):
    reply = DOORS[door](simulator, stream=None)
    assert (reply.headers["Content-Type"], reply.headers["Transfer-Encoding"]) == ("application/x-ndjson", "chunked")
    lines = [json.loads(line) for line in reply.body.splitlines()]
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[-1]["done_reason"] == "stop"
    said = "".join(line["message"]["content"] if door == "chat" else line["response"] for line in lines)
    assert said == text(DOORS[door](simulator))


def test_the_compatible_door_streams_events_when_asked(simulator):
    reply = complete(simulator, stream=True, stream_options={"include_usage": True})
    assert reply.headers["Content-Type"] == "text/event-stream"
    events = [block.removeprefix("data: ") for block in reply.body.decode().split("\n\n") if block]
    assert events.pop() == "[DONE]"
    chunks = [json.loads(event) for event in events]
    usage = chunks.pop()
    assert (usage["choices"], set(usage["usage"])) == (
        [],
        {"prompt_tokens", "completion_tokens", "total_tokens"},
    )
    assert "".join(chunk["choices"][0]["delta"]["content"] for chunk in chunks) == text(complete(simulator))
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]


def test_a_prompt_beyond_the_context_is_cut_without_a_word(simulator):
    long = "Nothing of interest here. " * 2000
    short = chat(simulator, messages=messages(item=long))
    wide = chat(simulator, messages=messages(item=long), options={"num_ctx": 32768})
    assert (short.status, short.json["done_reason"], short.json["prompt_eval_count"]) == (200, "stop", 4096)
    assert 13_000 < wide.json["prompt_eval_count"] < 13_200
    cut, whole = simulator.ollama.asked
    assert (cut.is_truncated, whole.is_truncated) == (True, False)
    assert PROFILE in whole.prompt
    assert PROFILE not in cut.prompt


@pytest.mark.parametrize(
    ("door", "limit", "reason"),
    [
        ("chat", {"options": {"num_predict": 5}}, lambda reply: reply["done_reason"]),
        ("completions", {"max_tokens": 5}, lambda reply: reply["choices"][0]["finish_reason"]),
    ],
)
def test_an_answer_over_its_limit_is_cut_and_says_so(simulator, door, limit, reason):
    reply = DOORS[door](simulator, **limit)
    assert reason(reply.json) == "length"
    assert len(text(reply)) == 20
    with pytest.raises(json.JSONDecodeError):
        json.loads(text(reply))


def test_a_model_that_is_not_there_or_not_named_is_refused_at_both_doors(simulator):
    missing = chat(simulator, model="gpt-9")
    assert (missing.status, missing.json) == (404, {"error": "model 'gpt-9' not found"})
    compatible = complete(simulator, model="gpt-9")
    assert (compatible.status, compatible.json["error"]) == (
        404,
        {"message": "model 'gpt-9' not found", "type": "not_found_error", "param": None, "code": None},
    )
    assert chat(simulator, model="").json == {"error": "model is required"}
    assert chat(simulator, model="llama3.2").status == 200
    empty = visit(simulator.service_urls["ollama"] + "/api/chat", raw=b"")
    assert (empty.status, empty.json) == (400, {"error": "missing request body"})
    assert visit(simulator.service_urls["ollama"] + "/api/chat").status == 405


def test_a_question_without_messages_loads_or_unloads_the_model(simulator):
    ps = simulator.service_urls["ollama"] + "/api/ps"
    assert chat(simulator, messages=[]).json["done_reason"] == "load"
    assert [model["name"] for model in visit(ps).json["models"]] == ["qwen3:8b"]
    assert chat(simulator, messages=[], keep_alive=0).json["done_reason"] == "unload"
    assert visit(ps).json["models"] == []
    assert simulator.ollama.asked == []


def test_the_server_tells_that_it_runs_its_version_and_its_models(simulator):
    url = simulator.service_urls["ollama"]
    assert visit(url).body == visit(url + "/").body == b"Ollama is running"
    assert visit(url + "/api/version").json["version"].startswith("0.")
    names = ["qwen3:8b", "llama3.2:latest", "smollm2:latest"]
    tags = visit(url + "/api/tags").json["models"]
    assert [model["name"] for model in tags] == names
    assert set(tags[0]) == {"name", "model", "modified_at", "size", "digest", "details"}
    assert [model["id"] for model in visit(url + "/v1/models").json["data"]] == names
    assert visit(url + "/api/nonsense").status == 404


def test_a_key_can_be_asked_for(simulator):
    simulator.change_rules(ollama_key="secret")
    refused = complete(simulator)
    assert (refused.status, refused.json["error"]["message"]) == (401, "Unauthorized")
    url = simulator.service_urls["ollama"] + "/v1/models"
    assert visit(url, Authorization="Bearer secret").status == 200


def test_the_native_answer_has_the_recorded_shape(simulator, samples: Path):
    name = "langchainrb_Langchain_LLM_Ollama_{}_returns_a_{}.yml"
    for door, (what, made) in {"chat": ("chat", "chat_completion"), "generate": ("complete", "completion")}.items():
        recorded = _recorded(samples, name.format(what, made))
        reply = DOORS[door](simulator)
        assert reply.headers["Content-Type"] == recorded["headers"]["Content-Type"][0]
        sample = json.loads(recorded["body"]["string"])
        sample.pop("context", None)
        assert _shape(reply.json) == _shape(sample)


def test_the_native_stream_has_the_recorded_shape(simulator, samples: Path):
    recorded = _recorded(
        samples, "langchainrb_Langchain_LLM_Ollama_chat_when_passing_a_block_returns_a_chat_completion.yml"
    )
    reply = chat(simulator, stream=True)
    assert reply.headers["Content-Type"] == recorded["headers"]["Content-Type"][0]
    lines = [json.loads(line) for line in recorded["body"]["string"].splitlines()]
    ours = [json.loads(line) for line in reply.body.splitlines()]
    assert (_shape(ours[0]), _shape(ours[-1])) == (_shape(lines[0]), _shape(lines[-1]))


def test_the_compatible_answer_has_the_recorded_shape(simulator, samples: Path):
    simulator.change_rules(ollama_thinks=True)
    recorded = _recorded(samples, "rubyllm_chat_with_params_ollama_qwen3_supports_response_format_param.yml")
    assert _shape(complete(simulator).json) == _shape(json.loads(recorded["body"]["string"]))
    streamed = _recorded(samples, "rubyllm_chat_streaming_responses_ollama_qwen3_supports_streaming_responses.yml")
    sample = _events(streamed["body"]["string"])
    ours = _events(complete(simulator, stream=True, stream_options={"include_usage": True}).body.decode())
    assert _shape(ours[0]) == _shape(sample[0])
    assert (_shape(ours[-2]), _shape(ours[-1])) == (_shape(sample[-2]), _shape(sample[-1]))


def _recorded(samples: Path, name: str) -> Any:
    return yaml.safe_load((samples / RECORDED / name).read_text())["http_interactions"][0]["response"]


def _events(body: str) -> list[Any]:
    blocks = [block.strip().removeprefix("data: ") for block in body.split("\n\n") if block.strip()]
    return [json.loads(block) for block in blocks if block != "[DONE]"]


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_shape(held) for held in value[:1]]
    return type(value).__name__
