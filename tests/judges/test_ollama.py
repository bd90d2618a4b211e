"""The Ollama judge against a server on loopback: what it asks, and every way the answer can go wrong."""

import json
import threading

import pytest

from inforadar.domain.errors import RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.verdict import Question
from inforadar.judges.ollama import OllamaJudge, read_reply
from inforadar.net.http import HttpClient
from judges.model_server import Reply, ollama_says, serving, told, verdict_json
from net.local_internet import WallClock

QUESTION = Question(profile="Python", title="Python developer", text="We write Python. " * 50)
LONG = Question(profile="Python", title="Python developer", text="We write Python at work. " * 2000)
TOKEN = "sk-canary-0123456789"


def judge_at(server, client, **more):
    settings = {"model": "qwen3:8b", "timeout_s": 5.0, "num_ctx": 8192, "keep_alive": "5m"} | more
    return OllamaJudge(transport=client, clock=WallClock(), base_url=server.url, **settings)


def judged(*script, question=QUESTION, **more):
    """The verdict of a judge whose server answers by a script, and what that server saw."""
    with serving(*script) as (server, client):
        return judge_at(server, client, **more).judge(question), server.seen


def failure(kind, *script, question=QUESTION, **more):
    """The error of a judge whose server answers by a script, and what that server saw."""
    with serving(*script) as (server, client):
        with pytest.raises(kind) as caught:
            judge_at(server, client, **more).judge(question)
        assert type(caught.value) is kind
        return str(caught.value), server.seen


def test_it_asks_once_for_a_schema_bound_answer_that_always_comes_out_the_same():
    verdict, seen = judged(ollama_says())
    assert (verdict.judge, verdict.score, verdict.reason) == ("ollama/qwen3:8b", 0.8, "fits well")
    [request] = seen
    assert (request.method, request.path) == ("POST", "/api/chat")
    assert request.headers["content-type"] == "application/json"
    assert "authorization" not in request.headers
    body = request.body
    assert (body["model"], body["stream"], body["think"], body["keep_alive"]) == ("qwen3:8b", False, False, "5m")
    assert body["format"]["required"] == ["reason", "score", "skills"]
    assert body["options"] == {"temperature": 0, "seed": 1, "num_ctx": 8192, "num_predict": 512}
    assert "tools" not in body


@pytest.mark.parametrize(("keep_alive", "sent"), [("5m", "5m"), ("300", 300), ("-1", -1), ("0", 0), ("1h30m", "1h30m")])
def test_keep_alive_is_sent_as_ollama_reads_it(keep_alive, sent):
    _, [request] = judged(ollama_says(), keep_alive=keep_alive)
    assert request.body["keep_alive"] == sent


def test_a_token_is_sent_and_never_told():
    _, [request] = judged(ollama_says(), token=TOKEN)
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    message, _ = failure(Refused, told({"error": f"bad key {TOKEN}"}, 401), token=TOKEN)
    assert TOKEN not in message
    assert "`[judge] token`" in message


def test_a_model_that_is_not_there_names_the_command_that_brings_it():
    for sentence in ("model 'qwen3:8b' not found", 'model "qwen3:8b" not found, try pulling it first'):
        message, _ = failure(Refused, told({"error": sentence}, 404))
        assert "ollama pull qwen3:8b" in message


def test_something_else_at_the_address_is_refused_with_the_setting_to_check():
    for status in (404, 405):
        message, _ = failure(Refused, Reply(body=b"<html>nginx", status=status))
        assert "base_url" in message


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (told({"error": "server busy, please try again.  maximum pending requests exceeded"}, 503), "server busy"),
        (told({"error": "server busy"}, 503, headers={"retry-after": "5"}), "server busy"),
        (told({"error": "model requires more system memory (18.2 GiB) than is available"}, 500), "more system memory"),
        (told({"error": "request canceled"}, 499), "canceled"),
        (Reply(body=b"<html>bad gateway", status=502), "502"),
        (told({"error": "llama runner process has terminated"}), "llama runner"),
        (Reply(body=b'{"message":{"content":"{"},"done":false}\n{"error":"unexpected EOF"}\n'), "unexpected EOF"),
        (Reply(body=b'{"message":{"content":"{"},"done":false}\n{"message":{"con'), "broke off"),
        (Reply(body=b'{"message":{"content":"{"},"done":false}\n'), "broke off"),
        (Reply(body=b'{"model":"m","done":true,"done_reason":"load"}'), "load"),
        (Reply(body=b'{"message"', promised=500), "cut body"),
    ],
)
def test_a_server_in_trouble_is_unavailable(reply, words):
    message, seen = failure(Unavailable, reply)
    assert words in message
    assert len(seen) == 1


def test_no_server_is_unavailable():
    with serving(ollama_says()) as (server, client):
        url = server.url
    with HttpClient(clock=WallClock(), allow=[url]) as client:
        judge = judge_at(server, client)
        with pytest.raises(Unavailable):
            judge.judge(QUESTION)
        with pytest.raises(Unavailable):
            judge.ping()


def test_an_answer_that_takes_too_long_is_unavailable():
    message, _ = failure(Unavailable, Reply(body=b"{}", delay_s=30.0), timeout_s=0.3)
    assert "0.3 s" in message


def test_too_many_requests_carry_the_time_to_come_back():
    slow_down = told({"error": "slow down"}, 429, headers={"Retry-After": "60"})
    with serving(slow_down) as (server, client), pytest.raises(RateLimited) as caught:
        judge_at(server, client).judge(QUESTION)
    left_s = (caught.value.retry_at - WallClock().now()).total_seconds()
    assert 50 < left_s <= 60


@pytest.mark.parametrize(
    "content",
    [
        "",
        "I cannot help with that.",
        '{"score": 85, "reason": "r", "skills": []}',
        '{"score": 0.5, "reason": "cut',
        "[]",
    ],
)
def test_a_model_that_does_not_answer_as_asked_is_unreadable(content):
    _, seen = failure(Unreadable, ollama_says(content))
    assert len(seen) == 1


def test_a_tool_call_is_no_answer():
    message = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "mark", "arguments": {}}}]}
    failure(Unreadable, ollama_says(message=message))


@pytest.mark.parametrize("body", [b"", b"<html>welcome", b"[]", b"null", b"\xff\xfe", b'"done"', b"[" * 100_000])
def test_a_body_that_is_not_ollama_s_is_unreadable(body):
    failure(Unreadable, Reply(body=body))


def test_a_streamed_answer_is_put_together():
    half = len(verdict_json()) // 2
    lines = [
        {"message": {"content": verdict_json()[:half]}, "done": False},
        {"message": {"content": verdict_json()[half:]}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 600},
    ]
    verdict, _ = judged(Reply(body=b"\n".join(json.dumps(line).encode() for line in lines)))
    assert verdict.score == 0.8


def test_an_answer_cut_by_its_length_is_asked_for_again_with_more_room():
    verdict, seen = judged(ollama_says('{"score": 0.', done_reason="length"), ollama_says())
    assert verdict.score == 0.8
    assert [request.body["options"]["num_predict"] for request in seen] == [512, 2048]


def test_an_answer_that_never_ends_is_unreadable_after_two():
    message, seen = failure(Unreadable, ollama_says('{"score": 0.', done_reason="length"))
    assert len(seen) == 2
    assert "another model" in message


@pytest.mark.parametrize(
    "cut",
    [
        ollama_says(prompt_eval_count=8192),
        ollama_says(prompt_eval_count=8192, done_reason="length"),
        ollama_says(prompt_eval_count=90),
        told({"error": "prompt too long; exceeded max context length by 9 tokens"}, 400),
    ],
)
def test_a_prompt_the_server_cut_is_sent_again_shorter_and_its_verdict_not_believed(cut):
    verdict, seen = judged(cut, ollama_says(verdict_json(score=0.25), prompt_eval_count=2000), question=LONG)
    assert verdict.score == 0.25
    assert len(seen) == 2
    assert len(seen[1].prompt) < len(seen[0].prompt) / 2


def test_a_prompt_that_is_cut_twice_is_unreadable_and_names_the_setting():
    message, seen = failure(Unreadable, ollama_says(prompt_eval_count=8192), question=LONG)
    assert len(seen) == 2
    assert "num_ctx" in message


@pytest.mark.parametrize("count", [None, 3000])
def test_a_count_that_fits_or_is_not_told_is_believed(count):
    _, seen = judged(ollama_says(prompt_eval_count=count), question=LONG)
    assert len(seen) == 1


def test_a_short_item_whose_prompt_was_cached_is_believed():
    _, seen = judged(ollama_says(prompt_eval_count=1))
    assert len(seen) == 1


def test_a_server_that_does_not_know_think_is_asked_without_it_from_then_on():
    refuses = told({"error": '"qwen3:8b" does not support thinking'}, 400)
    with serving(refuses, ollama_says()) as (server, client):
        judge = judge_at(server, client)
        judge.judge(QUESTION)
        judge.judge(QUESTION)
    assert ["think" in request.body for request in server.seen] == [True, False, False]


def test_another_complaint_about_the_request_is_refused_with_its_words():
    message, seen = failure(Refused, told({"error": "invalid format: expected json"}, 400))
    assert "invalid format" in message
    assert len(seen) == 1


TAGS = {"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}, {"name": "llama3:latest"}, {"odd": 1}, 7]}


@pytest.mark.parametrize("model", ["qwen3:8b", "llama3", "llama3:latest"])
def test_a_ping_is_content_when_the_model_is_there(model):
    with serving(told(TAGS)) as (server, client):
        judge_at(server, client, model=model).ping()
    assert [(request.method, request.path) for request in server.seen] == [("GET", "/api/tags")]


@pytest.mark.parametrize("model", ["qwen3", "qwen3:14b", "other", "registry.local:5000/llama3"])
def test_a_ping_names_the_command_when_it_is_not(model):
    with serving(told(TAGS)) as (server, client), pytest.raises(Refused, match=f"ollama pull {model}"):
        judge_at(server, client, model=model).ping()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (told({"error": "busy"}, 503), Unavailable),
        (told({"error": "who are you"}, 401), Refused),
        (Reply(body=b"nothing here", status=404), Refused),
        (Reply(body=b"Ollama is running"), Unreadable),
        (told({"models": None}), Refused),
    ],
)
def test_a_ping_fails_as_a_question_would(reply, kind):
    with serving(reply) as (server, client), pytest.raises(kind):
        judge_at(server, client).ping()


def test_threads_may_share_it():
    with serving(ollama_says()) as (server, client):
        judge, scores = judge_at(server, client), []
        threads = [threading.Thread(target=lambda: scores.append(judge.judge(QUESTION).score)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert scores == [0.8] * 8


def test_real_answers_of_ollama_are_read(samples):
    folder = samples / "articles_sinks" / "ollama"
    whole = read_reply((folder / "langchainrb_chat.json").read_bytes())
    assert whole.content.startswith(" Of course, I'd be happy")
    assert (whole.ending, whole.tokens_read) == ("", 98)
    with pytest.raises(Unavailable):
        read_reply((folder / "langchainrb_chat_chunk.json").read_bytes())
    called = read_reply((folder / "langchainrb_chat_with_tool_calls.json").read_bytes())
    assert (called.content, called.ending, called.tokens_read) == ("", "stop", 188)
