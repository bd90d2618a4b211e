"""The judge on any server with OpenAI's interface: OpenAI itself, llama.cpp, vLLM, LM Studio and others.

They differ in what they take. The first request asks for the most; a server that complains of a part of it is
asked again without that part, and what it took in the end is remembered for the next question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from inforadar.domain.errors import Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.domain.verdict import Question, Verdict
from inforadar.judges.prompt import Prompt, answer_schema, make_prompt, read_verdict
from inforadar.judges.refusals import Complaint, complaint_of, read_complaint, refusal

DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MAX_TEXT = 12_000
PING_TIMEOUT_S = 10.0
ANSWER_TOKENS = 512
MORE_TOKENS = 4
SHORTER = 3
CUT = "length"
BAD_REQUEST = (400, 422)
TOO_LARGE = 413

# OpenAI itself refuses lengths in a schema; a small model without them may never come to an end.
Format = Literal["bounded schema", "schema", "object", "none"]
_NEXT_FORMAT: Mapping[Format, Format] = {"bounded schema": "schema", "schema": "object", "object": "none"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a server wants to be asked."""

    format: Format = "bounded schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model said, and why it ended."""

    content: str
    ending: str


class OpenAiJudge:
    """Asks a model on a compatible server; `max_text` is how many characters of profile and item it is shown.

    May be shared by threads.
    """

    def __init__(
        self,
        *,
        transport: Transport,
        clock: Clock,
        model: str,
        timeout_s: float,
        base_url: str = DEFAULT_BASE_URL,
        token: str | None = None,
        max_text: int = DEFAULT_MAX_TEXT,
    ) -> None:
        self.name = f"openai/{model}"
        self._transport = transport
        self._clock = clock
        self._base_url = base_url
        self._model = model
        self._timeout_s = timeout_s
        self._token = token
        self._max_text = max_text
        self._manner = Manner()

    def judge(self, question: Question) -> Verdict:
        """The model's verdict, after at most one repeat with a shorter text; raises as the port says."""
        for characters in (self._max_text, self._max_text // SHORTER):
            reply = self._complete(make_prompt(question, characters))
            if reply is not None:
                return read_verdict(reply.content, self.name)
        raise Unreadable("the question does not fit into the model's context: give the server a larger one")

    def ping(self) -> None:
        """Whether the server answers and takes the token; servers without a list of models are well."""
        request = Request(path="/models", headers=self._headers(), timeout_s=PING_TIMEOUT_S)
        answer = self._transport.send(self._base_url, request)
        if answer.status not in (200, 404, 405):
            raise self._refusal(answer)

    def _complete(self, prompt: Prompt) -> Reply | None:
        """The model's whole answer, with more room for it the second time; None if the prompt is too long."""
        for tokens in (ANSWER_TOKENS, ANSWER_TOKENS * MORE_TOKENS):
            reply = self._ask(prompt, tokens)
            if reply is None or reply.ending != CUT:
                return reply
        raise Unreadable("the model did not come to an end: choose another model")

    def _ask(self, prompt: Prompt, tokens: int) -> Reply | None:
        """The reply in the first manner the server takes; None if the prompt is too long for it."""
        manner: Manner | None = self._manner
        while manner is not None:
            answer = self._post(prompt, tokens, manner)
            if answer.status == 200:
                reply = read_reply(answer.body, self._token)
                self._manner = manner
                return reply
            complaint = read_complaint(answer, self._token)
            if answer.status == TOO_LARGE or (answer.status in BAD_REQUEST and complaint.is_too_long):
                return None
            manner = next_manner(manner, complaint) if answer.status in BAD_REQUEST else None
        raise self._refusal(answer)

    def _post(self, prompt: Prompt, tokens: int, manner: Manner) -> Answer:
        body = {"model": self._model, "messages": prompt.messages, "stream": False, **wishes(manner, tokens)}
        request = Request(
            method="POST",
            path="/chat/completions",
            headers=self._headers() | {"content-type": "application/json"},
            body=msgspec.json.encode(body),
            timeout_s=self._timeout_s,
        )
        return self._transport.send(self._base_url, request)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}"} if self._token else {}

    def _refusal(self, answer: Answer) -> SourceError:
        complaint = read_complaint(answer, self._token)
        if answer.status == 404:
            told = f": {complaint.sentence}" if complaint.sentence else ""
            return Refused(f"no model {self._model} there (HTTP 404){told}. Check `[judge] model` and `base_url`")
        return refusal(answer, complaint, self._clock.now())


def wishes(manner: Manner, tokens: int) -> dict[str, Any]:
    """The part of a request that not every server takes."""
    asked: dict[str, Any] = {manner.limit: tokens}
    if manner.has_temperature:
        asked["temperature"] = 0
    if manner.format in ("bounded schema", "schema"):
        schema = answer_schema(is_bounded=manner.format == "bounded schema")
        named = {"name": "verdict", "strict": True, "schema": schema}
        asked["response_format"] = {"type": "json_schema", "json_schema": named}
    elif manner.format == "object":
        asked["response_format"] = {"type": "json_object"}
    return asked


def next_manner(manner: Manner, complaint: Complaint) -> Manner | None:
    """What to ask for instead after a complaint; None when there is nothing left to give up."""
    told = complaint.whole.lower()
    if "max_tokens" in told and manner.limit == "max_tokens":
        return replace(manner, limit="max_completion_tokens")
    if "temperature" in told and manner.has_temperature:
        return replace(manner, has_temperature=False)
    following = _NEXT_FORMAT.get(manner.format)
    return replace(manner, format=following) if following else None


def read_reply(body: bytes, token: str | None = None) -> Reply:
    """The reply in a completion; raises Unavailable for an error in it, Unreadable if there is no text."""
    completion = _completion(body)
    if completion.get("error"):
        raise Unavailable(f"the model stopped: {complaint_of(completion, token).sentence or 'no reason given'}")
    choices = completion.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Unreadable("this is not a chat completion: check `[judge] base_url`")
    ending, content = choice.get("finish_reason"), message.get("content")
    if ending != CUT and not isinstance(content, str):
        raise Unreadable("the model declined to answer" if message.get("refusal") else "the model said nothing")
    return Reply(content=content if isinstance(content, str) else "", ending=ending if isinstance(ending, str) else "")


def _completion(body: bytes) -> dict[str, Any]:
    try:
        completion = msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise Unreadable("the judge's answer is not JSON: check `[judge] base_url`") from error
    if not isinstance(completion, dict):
        raise Unreadable("this is not a chat completion: check `[judge] base_url`")
    return completion
