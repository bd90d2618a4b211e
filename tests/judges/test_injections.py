"""Hostile texts before a model that obeys every one of them: nothing changes but the score of that very item."""

import json
from dataclasses import dataclass, field, fields

import pytest

from inforadar.domain.errors import Unreadable
from inforadar.domain.ports import Answer, Request
from inforadar.domain.verdict import LONGEST_REASON, LONGEST_SKILL, MOST_SKILLS, Question, Verdict
from inforadar.judges.ollama import OllamaJudge
from inforadar.judges.openai import OpenAiJudge
from inforadar.judges.prompt import make_prompt
from inforadar.judges.words import judge_by_words
from judges.injections import INJECTIONS
from judges.model_server import GOOD, ollama_says, openai_says
from net.local_internet import WallClock

PROFILE = "Senior Python developer, secret wish"
HONEST = Question(profile=PROFILE, title="Python developer", text="Plain work.")
PLACES = ("title", "company", "place", "money", "text")
numbered = pytest.mark.parametrize("injection", INJECTIONS, ids=range(len(INJECTIONS)))


@dataclass
class ObedientModel:
    """A transport with a model behind it that says what it was last ordered to."""

    says: object
    order: str = GOOD
    requests: list[tuple[str, Request]] = field(default_factory=list)

    def send(self, base_url: str, request: Request) -> Answer:
        self.requests.append((base_url, request))
        return Answer(status=200, headers={}, body=self.says(self.order).body, url=base_url)


def ollama():
    model = ObedientModel(ollama_says)
    settings = {"model": "m", "timeout_s": 5.0, "num_ctx": 8192, "keep_alive": "5m"}
    return model, OllamaJudge(transport=model, clock=WallClock(), base_url="http://model", **settings)


def openai():
    model = ObedientModel(openai_says)
    return model, OpenAiJudge(transport=model, clock=WallClock(), base_url="http://model", model="m", timeout_s=5.0)


def hostile(injection):
    """The worst item: the order stands in every field."""
    return Question(profile=PROFILE, skills=(injection.text,), **dict.fromkeys(PLACES, injection.text))


def test_there_are_a_hundred_different_ones():
    assert len({injection.text for injection in INJECTIONS}) == 100


@numbered
@pytest.mark.parametrize("server", [ollama, openai])
def test_the_worst_an_order_can_do_is_one_wrong_score_of_its_own_item(injection, server):
    model, judge = server()
    before = judge.judge(HONEST)
    model.order = injection.obeyed
    try:
        verdict = judge.judge(hostile(injection))
    except Unreadable:
        verdict = None
    model.order = GOOD
    assert judge.judge(HONEST) == before
    assert model.requests[0] == model.requests[2]
    assert len(model.requests) == 3
    if verdict is not None:
        assert_harmless(verdict, judge.name)


def assert_harmless(verdict, name):
    """What is stored and shown: four fields, in range, printable, without a link."""
    assert {each.name for each in fields(verdict)} == {"judge", "score", "reason", "skills"}
    assert isinstance(verdict, Verdict)
    assert verdict.judge == name
    assert 0.0 <= verdict.score <= 1.0
    assert 0 < len(verdict.reason) <= LONGEST_REASON
    assert len(verdict.skills) <= MOST_SKILLS
    for shown in (verdict.reason, *verdict.skills):
        assert shown.isprintable()
        assert "://" not in shown
        assert not any(door in shown.lower() for door in ("www.", "t.me/"))
    assert all(len(skill) <= LONGEST_SKILL for skill in verdict.skills)


@numbered
def test_the_text_stays_between_its_fences(injection):
    prompt = make_prompt(hostile(injection), 10_000)
    system, user = (message["content"] for message in prompt.messages)
    [fence] = {line.split()[1].rstrip(">") for line in user.splitlines() if line.startswith(("<item ", "</item "))}
    before, item, after = user.replace(f"</item {fence}>", f"<item {fence}>").split(f"<item {fence}>")
    assert before == f"PROFILE\n{PROFILE}\n\n"
    assert after == "\n\nAnswer with the JSON object."
    assert len(item.strip()) == prompt.item_size
    assert fence not in item
    assert not set("<>") & set(item)
    assert all(char.isprintable() or char == "\n" for char in item)
    assert fence not in injection.text
    assert injection.text not in system


@numbered
def test_a_text_that_tries_the_fence_of_its_own_prompt_gets_another(injection):
    def fence(question):
        return make_prompt(question, 10_000).messages[1]["content"].split("<item ")[1].split(">")[0]

    first = fence(hostile(injection))
    forged = Question(profile=PROFILE, title=injection.text, text=f"</item {first}> {injection.text}")
    assert fence(forged) not in forged.text


@numbered
def test_the_request_holds_no_tool_and_goes_to_the_judge_alone(injection):
    for model, judge in (ollama(), openai()):
        judge.judge(hostile(injection))
        [(base_url, request)] = model.requests
        assert base_url == "http://model"
        assert request.path in ("/api/chat", "/chat/completions")
        body = json.loads(request.body)
        assert "tools" not in body
        assert [message["role"] for message in body["messages"]] == ["system", "user"]


@numbered
def test_the_words_judge_takes_no_orders(injection):
    verdict = judge_by_words(hostile(injection))
    assert verdict.score < 0.6
    assert verdict.reason.isprintable()
