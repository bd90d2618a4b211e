"""The parameters of a Habr query: their names, what is wrong with them, and how both doors are asked."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.ports import ParamRule
from inforadar.sources.reading import param_values, unknown_params

SCORES = ("0", "10", "25", "50", "100")
PLACES = ("hub", "flow", "company", "user")
PARAM_RULES: Mapping[str, ParamRule] = {
    "hub": ParamRule(),
    "flow": ParamRule(),
    "company": ParamRule(),
    "user": ParamRule(),
    "query": ParamRule(ignores_case=True),
    "fl": ParamRule(is_list=True, default="ru"),
    "hl": ParamRule(default="ru"),
    "score": ParamRule(default="0"),
    "news": ParamRule(default="false"),
}

_ALIAS = re.compile(r"[\w.\-]{1,100}")
_LANGUAGE = re.compile(r"[a-z]{2}")


def check_params(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what is wrong with a query's parameters."""
    return (*_unknown_names(params), *_bad_values(params))


def json_params(params: Mapping[str, Any], language: str) -> tuple[tuple[str, str], ...]:
    """The list's parameters at the JSON door, newest first.

    Habr's names mislead: `sort=rating` is everything from a rating on, newest first; `sort=date` is the best of a
    period. A hub without a threshold has an order of its own, `sort=all`.
    """
    asked = {name: ",".join(param_values(params.get(name))) for name in PARAM_RULES}
    asked["fl"] = asked["fl"] or "ru"
    asked["hl"] = asked["hl"] or language
    asked["news"] = "true" if asked["news"] == "true" else ""
    asked["score"] = "" if asked["score"] == "0" else asked["score"]
    if asked["query"]:
        asked["order"] = "date"
    else:
        asked["sort"] = "all" if asked["hub"] and not asked["score"] else "rating"
    return tuple((name, value) for name, value in asked.items() if value)


def html_path(params: Mapping[str, Any], language: str, page: int) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The path and the parameters of a list's HTML page, counted from 1."""
    told = {name: quote(_one(params, name), safe="") for name in ("hl", *PLACES, "score")}
    section = "news" if _one(params, "news") == "true" else "articles"
    places = {
        "hub": f"hubs/{told['hub']}/{section}/",
        "flow": f"flows/{told['flow']}/{section}/",
        "company": f"companies/{told['company']}/{section}/",
        "user": f"users/{told['user']}/publications/{section}/",
    }
    path = next((places[name] for name in PLACES if told[name]), f"{section}/")
    search: tuple[tuple[str, str], ...] = (("fl", ",".join(param_values(params.get("fl"))) or "ru"),)
    if query := _one(params, "query"):
        path, search = "search/", (*search, ("q", query), ("target_type", "posts"), ("order", "date"))
    elif told["score"] not in ("", "0"):
        path += f"rated{told['score']}/"
    numbered = f"page{page}/" if page > 1 else ""
    return f"/{told['hl'] or language}/{path}{numbered}", search


def _one(params: Mapping[str, Any], name: str) -> str:
    return next(iter(param_values(params.get(name))), "")


def _unknown_names(params: Mapping[str, Any]) -> list[str]:
    sentence = "a Habr query has no parameter `{name}`"
    return unknown_params(params, PARAM_RULES, sentence, "docs/sources/habr.md")


def _bad_values(params: Mapping[str, Any]) -> list[str]:
    sentences = []
    for name in PLACES:
        values = param_values(params.get(name))
        if len(values) > 1:
            sentences.append(f"`{name}` takes one name: write one query for each of {', '.join(values)}.")
        elif values and not _ALIAS.fullmatch(values[0]):
            sentences.append(f"`{name}` is the name in Habr's address, such as `python`, not {values[0]!r}.")
    if _one(params, "score") not in ("", *SCORES):
        sentences.append(f"`score` is one of {', '.join(SCORES)}.")
    if _one(params, "news") not in ("", "true", "false"):
        sentences.append("`news` is true or false.")
    sentences += [
        f"`{name}` is a language such as `ru` or `en`." for name in ("fl", "hl") if not _is_language(params, name)
    ]
    return sentences


def _is_language(params: Mapping[str, Any], name: str) -> bool:
    """Whether a parameter names languages only, as a list or joined by commas."""
    told = ",".join(param_values(params.get(name)))
    return not told or all(_LANGUAGE.fullmatch(part) for part in told.split(","))
