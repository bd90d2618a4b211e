"""The judge for compatible servers, against one on loopback: what it asks, gives up, remembers and refuses."""

import pytest

from inforadar.domain.errors import RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.verdict import Question
from inforadar.judges.openai import DEFAULT_BASE_URL, Manner, OpenAiJudge, next_manner, read_reply
from inforadar.judges.refusals import Complaint, complaint_of
from judges.model_server import Reply, openai_says, serving, told, verdict_json
from net.local_internet import WallClock

QUESTION = Question(profile="Python", title="Python developer", text="We write Python at work. " * 2000)
TOKEN = "sk-canary-0123456789"


def judge_at(server, client, **more):
    settings = {"model": "gpt-x", "timeout_s": 5.0, "token": TOKEN} | more
    return OpenAiJudge(transport=client, clock=WallClock(), base_url=f"{server.url}/v1", **settings)


def judged(*script, **more):
    """The verdict of a judge whose server answers by a script, and what that server saw."""
    with serving(*script) as (server, client):
        return judge_at(server, client, **more).judge(QUESTION), server.seen


def failure(kind, *script, **more):
    """The error of a judge whose server answers by a script, and what that server saw."""
    with serving(*script) as (server, client):
        with pytest.raises(kind) as caught:
            judge_at(server, client, **more).judge(QUESTION)
        assert type(caught.value) is kind
        assert TOKEN not in str(caught.value)
        return caught.value, server.seen


def error(message, status=400, code=None, kind="invalid_request_error", **more):
    return told({"error": {"message": message, "type": kind, "param": None, "code": code}}, status, **more)


def formats(seen):
    """What form of answer each request asked for."""

    def form(body):
        asked = body.get("response_format", {"type": "none"})
        return "bounded" if "maxLength" in str(asked) else asked["type"]

    return [form(request.body) for request in seen]


def test_it_asks_for_an_answer_bound_to_the_schema():
    verdict, [request] = judged(openai_says())
    assert (verdict.judge, verdict.score, verdict.skills) == ("openai/gpt-x", 0.8, ("python",))
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    body = request.body
    assert (body["model"], body["stream"], body["temperature"], body["max_tokens"]) == ("gpt-x", False, 0, 512)
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    assert "tools" not in body


def test_without_a_token_none_is_sent():
    _, [request] = judged(openai_says(), token=None)
    assert "authorization" not in request.headers


def test_the_default_address_is_openai_s():
    assert DEFAULT_BASE_URL == "https://api.openai.com/v1"


def test_openai_itself_takes_the_schema_without_lengths():
    complaint = error("Invalid schema for response_format 'verdict': 'maxLength' is not permitted.")
    _, seen = judged(complaint, openai_says())
    assert formats(seen) == ["bounded", "json_schema"]


def test_a_server_that_takes_no_schema_is_asked_for_an_object_then_for_nothing_and_remembered():
    no_length = error("Invalid schema for response_format 'verdict': 'maxLength' is not permitted.")
    no_schema, no_object = error("json_schema is not supported"), error("unknown response_format")
    with serving(no_length, no_schema, no_object, openai_says()) as (server, client):
        judge = judge_at(server, client)
        judge.judge(QUESTION)
        judge.judge(QUESTION)
    assert formats(server.seen) == ["bounded", "json_schema", "json_object", "none", "none"]


def test_a_server_that_takes_an_object_is_asked_for_that_from_then_on():
    complaint = error("'response_format.type' must be 'json_object'", 422)
    with serving(complaint, complaint, openai_says()) as (server, client):
        judge = judge_at(server, client)
        judge.judge(QUESTION)
        judge.judge(QUESTION)
    assert formats(server.seen) == ["bounded", "json_schema", "json_object", "json_object"]


def test_a_server_that_refuses_every_manner_is_refused_and_nothing_is_remembered():
    always = [error("no idea what you want")] * 4
    with serving(*always, openai_says()) as (server, client):
        judge = judge_at(server, client)
        with pytest.raises(Refused, match="no idea what you want"):
            judge.judge(QUESTION)
        judge.judge(QUESTION)
    assert formats(server.seen) == ["bounded", "json_schema", "json_object", "none", "bounded"]


def test_newer_models_are_asked_by_their_own_names_of_things():
    limits = error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    warmth = error("Unsupported value: 'temperature' does not support 0 with this model.")
    _, seen = judged(limits, warmth, openai_says())
    assert [request.body.get("max_completion_tokens") for request in seen] == [None, 512, 512]
    assert ["temperature" in request.body for request in seen] == [True, True, False]
    assert formats(seen) == ["bounded"] * 3


def test_giving_up_comes_to_an_end_whatever_the_server_says():
    manner, steps = Manner(), 0
    while manner := next_manner(manner, Complaint(whole="max_tokens temperature response_format")):
        steps += 1
    assert steps == 5


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (error("Incorrect API key provided", 401), "`[judge] token`"),
        (error("forbidden", 403), "`[judge] token`"),
        (error(f"your key {TOKEN} is wrong", 401), "***"),
        (error("The model `gpt-x` does not exist", 404, code="model_not_found"), "no model gpt-x"),
        (Reply(body=b"404 page not found", status=404), "base_url"),
        (error("You exceeded your current quota", 429, code="insufficient_quota"), "Top it up"),
        (error("Insufficient Balance", 402), "Top it up"),
        (Reply(body=b"method", status=405), "base_url"),
    ],
)
def test_what_a_person_must_mend_is_refused(reply, words):
    caught, seen = failure(Refused, reply)
    assert words in str(caught)
    assert len(seen) == 1


@pytest.mark.parametrize(
    "reply",
    [
        error("overloaded", 503),
        error("oops", 500),
        Reply(body=b"<html>bad gateway", status=502),
        error("timeout", 408),
        told({"error": {"message": "provider returned error", "code": 502}}),
        Reply(body=b'{"choices"', promised=500),
    ],
)
def test_a_server_in_trouble_is_unavailable(reply):
    _, seen = failure(Unavailable, reply)
    assert len(seen) == 1


def test_an_answer_that_takes_too_long_is_unavailable():
    failure(Unavailable, Reply(body=b"{}", delay_s=30.0), timeout_s=0.3)


def test_too_many_requests_carry_the_time_to_come_back():
    caught, _ = failure(RateLimited, error("Rate limit reached", 429, headers={"Retry-After": "60"}))
    assert 50 < (caught.retry_at - WallClock().now()).total_seconds() <= 60
    caught, _ = failure(RateLimited, error("Rate limit reached", 429))
    assert caught.retry_at is None


@pytest.mark.parametrize(
    "too_long",
    [
        error("This model's maximum context length is 4096 tokens", code="context_length_exceeded"),
        error("request (6031 tokens) exceeds the available context size", kind="exceed_context_size_error"),
        error("prompt too long; exceeded max context length by 1119046 tokens"),
        Reply(body=b"too large", status=413),
    ],
)
def test_a_prompt_too_long_for_the_model_is_sent_again_shorter(too_long):
    verdict, seen = judged(too_long, openai_says())
    assert verdict.score == 0.8
    assert len(seen[1].prompt) < len(seen[0].prompt) / 2
    assert formats(seen) == ["bounded"] * 2
    _, seen = failure(Unreadable, too_long)
    assert len(seen) == 2


def test_max_text_bounds_what_is_sent():
    _, [request] = judged(openai_says(), max_text=1000)
    assert 1000 < len(request.prompt) < 3000


def test_an_answer_cut_by_its_length_is_asked_for_again_with_more_room():
    cut = openai_says('{"score": 0.', finish_reason="length")
    _, seen = judged(cut, openai_says())
    assert [request.body["max_tokens"] for request in seen] == [512, 2048]
    _, seen = failure(Unreadable, openai_says(None, finish_reason="length"))
    assert len(seen) == 2


@pytest.mark.parametrize(
    "reply",
    [
        openai_says("Sure! Here is my verdict."),
        openai_says(verdict_json(score=85)),
        openai_says(None, refusal="I cannot"),
        openai_says("", finish_reason="content_filter"),
        error("The response was filtered", code="content_filter"),
        told({"choices": []}),
        told({"choices": [7]}),
        told({"choices": [{"message": "text"}]}),
        told({"hello": "world"}),
        told([]),
        Reply(body=b"<html>welcome"),
        Reply(body=b"[" * 100_000),
        Reply(body=b""),
    ],
)
def test_no_usable_answer_is_unreadable(reply):
    failure(Unreadable, reply)


@pytest.mark.parametrize("reply", [told({"data": []}), Reply(body=b"", status=404), Reply(body=b"", status=405)])
def test_a_ping_is_content_with_a_list_of_models_or_none(reply):
    with serving(reply) as (server, client):
        judge_at(server, client).ping()
    assert [(request.method, request.path) for request in server.seen] == [("GET", "/v1/models")]


@pytest.mark.parametrize(
    ("reply", "kind"), [(error("x", 401), Refused), (error("x", 503), Unavailable), (error("x", 429), RateLimited)]
)
def test_a_ping_fails_as_a_question_would(reply, kind):
    with serving(reply) as (server, client), pytest.raises(kind):
        judge_at(server, client).ping()


def test_real_answers_are_read(samples):
    yaml = pytest.importorskip("yaml", reason="the recordings are YAML")
    folder = samples / "articles_sinks" / "ollama"

    def recorded(name):
        [path] = folder.glob(f"*{name}*")
        text = path.read_text(encoding="utf-8").replace(" !binary ", " !!binary ")
        [exchange] = yaml.safe_load(text)["http_interactions"]
        body = exchange["response"]["body"]["string"]
        return body.encode() if isinstance(body, str) else body

    reply = read_reply(recorded("supports_response_format_param"))
    assert (reply.content, reply.ending) == ('{"result": 8}', "stop")
    assert read_reply(recorded("can_have_a_basic_conversation")).content.startswith("The answer to **2 + 2**")
    with pytest.raises(Unavailable, match="prompt too long"):
        read_reply(recorded("context_length_exceeded"))
    assert complaint_of(yaml.safe_load(recorded("raises_appropriate_auth_error")), None).sentence == "Unauthorized"
