"""The judge on an Ollama server, by its own API: only there can the size of the context be set and checked.

Ollama cuts a prompt that is too long without a word, and the cut takes the instructions or the profile with it. So
the context is always asked for, and what the server says it read is compared with what was sent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from inforadar.domain.errors import Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.domain.verdict import Question, Verdict
from inforadar.judges.prompt import Prompt, answer_schema, make_prompt, read_verdict, text_budget
from inforadar.judges.refusals import complaint_of, read_complaint, refusal

DEFAULT_BASE_URL = "http://127.0.0.1:11434"
SEED = 1
PING_TIMEOUT_S = 10.0
ANSWER_TOKENS = 512
MORE_TOKENS = 4
SHORTER = 3
# Prose has three to five characters a token; a server that read fewer tokens than this lost a part.
MOST_CHARACTERS_PER_TOKEN = 12
SHORTEST_COUNTED = 2000
CUT = "length"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model said, why it ended, and how many tokens of the prompt it read (None = not told)."""

    content: str
    ending: str
    tokens_read: int | None


class OllamaJudge:
    """Asks a model on an Ollama server; may be shared by threads."""

    def __init__(
        self,
        *,
        transport: Transport,
        clock: Clock,
        base_url: str,
        model: str,
        timeout_s: float,
        num_ctx: int,
        keep_alive: str,
        token: str | None = None,
    ) -> None:
        self.name = f"ollama/{model}"
        self._transport = transport
        self._clock = clock
        self._base_url = base_url
        self._model = model
        self._timeout_s = timeout_s
        self._num_ctx = num_ctx
        self._keep_alive = int(keep_alive) if keep_alive.lstrip("-").isdecimal() else keep_alive
        self._token = token
        self._takes_think = True

    def judge(self, question: Question) -> Verdict:
        """The model's verdict, after at most one repeat with a shorter text; raises as the port says."""
        budget = text_budget(self._num_ctx)
        for characters in (budget, budget // SHORTER):
            reply = self._complete(make_prompt(question, characters))
            if reply is not None:
                return read_verdict(reply.content, self.name)
        raise Unreadable(f"the question does not fit into {self._num_ctx} tokens: raise `[judge] num_ctx`")

    def ping(self) -> None:
        """Whether the server answers and has the model."""
        answer = _tags(self._transport, self._base_url, self._token)
        if answer.status != 200:
            raise self._refusal(answer)
        if full_name(self._model) not in read_models(answer.body):
            raise self._no_model()

    def _complete(self, prompt: Prompt) -> Reply | None:
        """The model's whole answer, with more room for it the second time; None if the prompt was cut."""
        tokens = min(ANSWER_TOKENS, self._num_ctx // 4)
        for num_predict in (tokens, min(tokens * MORE_TOKENS, self._num_ctx // 2)):
            reply = self._ask(prompt, num_predict)
            if reply is None or is_cut(reply, prompt, self._num_ctx):
                return None
            if reply.ending != CUT:
                return reply
        raise Unreadable("the model did not come to an end: choose another model, or raise `[judge] num_ctx`")

    def _ask(self, prompt: Prompt, num_predict: int) -> Reply | None:
        answer = self._post(prompt, num_predict)
        if self._takes_think and answer.status == 400 and "think" in read_complaint(answer, None).whole.lower():
            self._takes_think = False
            answer = self._post(prompt, num_predict)
        if answer.status == 200:
            return read_reply(answer.body, self._token)
        if answer.status == 400 and read_complaint(answer, None).is_too_long:
            return None
        raise self._refusal(answer)

    def _post(self, prompt: Prompt, num_predict: int) -> Answer:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": prompt.messages,
            "stream": False,
            "format": answer_schema(is_bounded=True),
            "options": {"temperature": 0, "seed": SEED, "num_ctx": self._num_ctx, "num_predict": num_predict},
            "keep_alive": self._keep_alive,
        }
        if self._takes_think:
            body["think"] = False
        return self._send(
            Request(
                method="POST",
                path="/api/chat",
                headers=_headers(self._token) | {"content-type": "application/json"},
                body=msgspec.json.encode(body),
                timeout_s=self._timeout_s,
            )
        )

    def _send(self, request: Request) -> Answer:
        return self._transport.send(self._base_url, request)

    def _refusal(self, answer: Answer) -> SourceError:
        complaint = read_complaint(answer, self._token)
        if answer.status == 404 and "model" in complaint.whole.lower():
            return self._no_model()
        if answer.status in (404, 405):
            return Refused(f"there is no Ollama at `[judge] base_url` (HTTP {answer.status})")
        return refusal(answer, complaint, self._clock.now())

    def _no_model(self) -> Refused:
        return Refused(f"Ollama does not have the model {self._model}: run `ollama pull {self._model}`")


def list_models(transport: Transport, base_url: str, token: str | None = None) -> frozenset[str]:
    """The models a server has; raises Unavailable, Refused, or Unreadable where the server is another one."""
    answer = _tags(transport, base_url, token)
    if answer.status in (401, 403):
        raise Refused(f"the server at {base_url} refuses us (HTTP {answer.status}): set `[judge] token`")
    if answer.status >= 500 or answer.status == 429:
        raise Unavailable(f"HTTP {answer.status}")
    if answer.status != 200:
        raise Unreadable(f"HTTP {answer.status}")
    return read_models(answer.body)


def is_cut(reply: Reply, prompt: Prompt, num_ctx: int) -> bool:
    """Whether the server read less than it was sent: it filled the context, or counted far too few tokens."""
    if reply.tokens_read is None:
        return False
    is_counted = prompt.item_size >= SHORTEST_COUNTED
    too_few = is_counted and reply.tokens_read < prompt.item_size / MOST_CHARACTERS_PER_TOKEN
    return reply.tokens_read >= num_ctx or too_few


def read_reply(body: bytes, token: str | None = None) -> Reply:
    """The reply in a body of one object or of a line for each piece; raises Unavailable if it broke off."""
    pieces = list(_pieces(body))
    for piece in pieces:
        if piece.get("error"):
            raise Unavailable(f"the model stopped: {complaint_of(piece, token).sentence or 'no reason given'}")
    last = pieces[-1]
    if last.get("done") is not True:
        raise Unavailable("the model's answer broke off")
    ending = last.get("done_reason")
    if ending in ("load", "unload"):
        raise Unavailable(f"the server only did a model {ending}")
    count = last.get("prompt_eval_count")
    return Reply(
        content="".join(map(_content, pieces)),
        ending=ending if isinstance(ending, str) else "",
        tokens_read=count if isinstance(count, int) and not isinstance(count, bool) else None,
    )


def read_models(body: bytes) -> frozenset[str]:
    """The names of the models a server has, each with its tag."""
    listed = next(_pieces(body)).get("models")
    models = [model for model in listed if isinstance(model, dict)] if isinstance(listed, list) else []
    names = (model.get(field) for model in models for field in ("name", "model"))
    return frozenset(full_name(name) for name in names if isinstance(name, str))


def full_name(model: str) -> str:
    """A model with its tag, as a server lists it."""
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def _tags(transport: Transport, base_url: str, token: str | None) -> Answer:
    return transport.send(base_url, Request(path="/api/tags", headers=_headers(token), timeout_s=PING_TIMEOUT_S))


def _headers(token: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def _pieces(body: bytes) -> Iterator[dict[str, Any]]:
    """The objects of a body; raises Unreadable if it begins with none, Unavailable if a later one is damaged."""
    whole = _object(body)
    if whole is not None:
        yield whole
        return
    for number, line in enumerate([line for line in body.splitlines() if line.strip()] or [b""]):
        piece = _object(line)
        if piece is None and number:
            raise Unavailable("the model's answer broke off")
        if piece is None:
            raise Unreadable("this is not Ollama's answer: check `[judge] base_url`")
        yield piece


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _content(piece: dict[str, Any]) -> str:
    message = piece.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""
