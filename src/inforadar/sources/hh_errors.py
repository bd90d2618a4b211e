"""What hh.ru's refusals mean: its 400 and 403 answers as errors that name the remedy."""

from collections.abc import Mapping, Sequence
from typing import Any

from inforadar.domain.errors import BadQuery, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer
from inforadar.sources.reading import as_list, as_mapping, as_text, read_json
from inforadar.sources.text import clean_line

TOKEN_SETTING = "`[sources.hh] token`"
SHORTEST_SECRET = 6
PAGING_ARGUMENTS = frozenset(("page", "per_page"))
OAUTH_SENTENCES = {
    "bad_authorization": f"hh does not accept the token: check {TOKEN_SETTING}.",
    "token_expired": f"the hh token has expired: put a new one into {TOKEN_SETTING}.",
    "token_revoked": f"the hh token was revoked: put a new one into {TOKEN_SETTING}.",
    "application_not_found": f"hh does not know the application of this token: renew {TOKEN_SETTING}.",
    "user_auth_expected": f"hh wants a user's token here, not an application's: change {TOKEN_SETTING}.",
}


def refusal(answer: Answer, *, token: str | None) -> SourceError | None:
    """The error behind a 400, 401 or 403 of hh; None when the status alone says it all. It never holds the token."""
    if answer.status not in (400, 401, 403):
        return None
    body = _without(token, _body(answer))
    if body is None:
        return Unavailable(f"hh's protection answers instead of hh (HTTP {answer.status}): it will be tried later.")
    if answer.status == 400:
        return _bad_request(body)
    return _forbidden(body, answer.status, has_token=token is not None)


def is_past_depth(answer: Answer) -> bool:
    """Whether a 400 is about the place in the list that was asked for."""
    named = _bad_arguments(_body(answer) or {})
    return bool(named) and set(named) <= PAGING_ARGUMENTS


def _body(answer: Answer) -> Mapping[str, Any] | None:
    try:
        body = read_json(answer.body)
    except Unreadable:
        return None
    return body if isinstance(body, dict) else None


def _without(token: str | None, value: Any) -> Any:
    """A decoded body in which a server that repeats our token has said nothing."""
    if isinstance(value, str):
        return value.replace(token, "***") if token and len(token) >= SHORTEST_SECRET else value
    if isinstance(value, dict):
        return {_without(token, name): _without(token, inner) for name, inner in value.items()}
    return [_without(token, inner) for inner in value] if isinstance(value, list) else value


def _errors(body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return [as_mapping(error) for error in as_list(body.get("errors"))]


def _types(body: Mapping[str, Any]) -> dict[str, str]:
    """The kinds of error in a body, each with its value."""
    return {
        clean_line(as_text(error.get("type"))): clean_line(as_text(error.get("value")))[:100] for error in _errors(body)
    }


def _bad_arguments(body: Mapping[str, Any]) -> list[str]:
    names = [as_text(error.get("value")) for error in _errors(body) if error.get("type") == "bad_argument"]
    if not any(names):
        names = [as_text(body.get("bad_argument"))]
    return [name for text in names for name in clean_line(text)[:100].replace(",", " ").split()]


def _bad_request(body: Mapping[str, Any]) -> SourceError:
    types = _types(body)
    if "bad_user_agent" in types:
        return Refused("hh does not accept our name: set `[sources.hh] user_agent` to `YourApp/1.0 (you@example.com)`.")
    arguments = ", ".join(f"`{name}`" for name in _bad_arguments(body))
    if arguments:
        return BadQuery(f"hh does not accept the value of {arguments}: correct it in the query's params.")
    return BadQuery(f"hh calls the request wrong ({_described(types)}): check the query's params.")


def _forbidden(body: Mapping[str, Any], status: int, *, has_token: bool) -> SourceError:
    types = _types(body)
    if "captcha_required" in types:
        return Refused(_captcha_sentence(body, has_token))
    if "oauth" in types:
        return Refused(OAUTH_SENTENCES.get(types["oauth"], f"hh refuses the token ({types['oauth'] or 'no reason'})."))
    if "forbidden" in types and not has_token:
        return Refused(f"hh needs a token for this: set {TOKEN_SETTING} (docs/sources/hh.md says how to get one).")
    return Refused(f"hh refuses the request (HTTP {status}, {_described(types)}): check {TOKEN_SETTING}.")


def _captcha_sentence(body: Mapping[str, Any], has_token: bool) -> str:
    links = [
        clean_line(as_text(error.get(name)))
        for error in (*_errors(body), body)
        for name in ("captcha_url", "fallback_url")
    ]
    link = next((link for link in links if link.startswith("https://")), "")
    solve = f"solve it at {link[:300]}" if link else "open hh.ru in a browser and solve it"
    remedy = "wait" if has_token else f"wait, or set {TOKEN_SETTING}"
    return f"hh asks for a captcha: {solve}, {remedy}."


def _described(types: Mapping[str, str]) -> str:
    return ", ".join(name for name in types if name)[:200] or "no reason given"
