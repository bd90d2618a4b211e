"""The parameters of InfoJobs' search: their names, what is wrong with a query's, and how a large search is split."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from inforadar.domain.paging import Window
from inforadar.domain.ports import ParamRule
from inforadar.sources.reading import param_values, unknown_params

NEWEST_FIRST = "updated-desc"
EVER = "ANY"
BUCKETS: Mapping[timedelta, str] = {
    timedelta(days=1): "_24_HOURS",
    timedelta(days=7): "_7_DAYS",
    timedelta(days=15): "_15_DAYS",
}
SPLITTABLE = ("province", "category", "subcategory", "city")
OWN_PARAMS = frozenset(("order", "page", "maxResults", "sinceDate", "split"))
OWN_BUCKET = (
    "`sinceDate` is chosen by Radar, from the time since the last complete sweep: leave it out. "
    "To leave out old offers set cutoff_date of the query."
)
PARAM_RULES: Mapping[str, ParamRule] = {
    "category": ParamRule(is_list=True),
    "city": ParamRule(is_list=True),
    "cityIds": ParamRule(is_list=True),
    "contractType": ParamRule(is_list=True),
    "country": ParamRule(is_list=True),
    "countryIds": ParamRule(is_list=True),
    "employerId": ParamRule(),
    "experienceMin": ParamRule(is_list=True),
    "maxResults": ParamRule(),
    "order": ParamRule(default=NEWEST_FIRST),
    "page": ParamRule(),
    "province": ParamRule(is_list=True),
    "provinceIds": ParamRule(is_list=True),
    "q": ParamRule(ignores_case=True),
    "salaryMax": ParamRule(),
    "salaryMin": ParamRule(),
    "salaryPeriod": ParamRule(),
    "sinceDate": ParamRule(default=EVER),
    "split": ParamRule(),
    "study": ParamRule(is_list=True),
    "subcategory": ParamRule(is_list=True),
    "teleworking": ParamRule(is_list=True),
    "workday": ParamRule(is_list=True),
}


def check_params(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what is wrong with a query's parameters."""
    return (*_unknown_names(params), *_forbidden_values(params), *_bad_split(params))


def slices_of(params: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The questions a query stands for: one, or with `split` one for each value of the parameter it names."""
    name = params.get("split")
    rest = {key: value for key, value in params.items() if key != "split"}
    if not isinstance(name, str) or name not in SPLITTABLE:
        return (rest,)
    return tuple({**rest, name: value} for value in dict.fromkeys(param_values(params.get(name)))) or (rest,)


def list_params(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The user's parameters as they are sent: a list repeats the name."""
    asked = ((name, value) for name, value in params.items() if name not in OWN_PARAMS)
    return [(name, text) for name, value in asked for text in param_values(value)]


def since_params(window: Window | None) -> list[tuple[str, str]]:
    """The bucket of a list that is asked for only down to an age."""
    return [("sinceDate", BUCKETS[window.age])] if window and window.age else []


def _unknown_names(params: Mapping[str, Any]) -> list[str]:
    sentence = "InfoJobs' search has no parameter `{name}`"
    return unknown_params(params, PARAM_RULES, sentence, "docs/sources/infojobs.md")


def _forbidden_values(params: Mapping[str, Any]) -> list[str]:
    sentences = []
    if params.get("order", NEWEST_FIRST) != NEWEST_FIRST:
        sentences.append(f"`order` must stay `{NEWEST_FIRST}`: in any other order new offers are lost.")
    sentences += [
        f"`{name}` is set by Radar itself: leave it out." for name in ("page", "maxResults") if name in params
    ]
    return [*sentences, OWN_BUCKET] if params.get("sinceDate", EVER) != EVER else sentences


def _bad_split(params: Mapping[str, Any]) -> list[str]:
    if "split" not in params:
        return []
    name = params["split"]
    if name not in SPLITTABLE:
        return [f"`split` names one parameter, one of {', '.join(SPLITTABLE)}."]
    if not param_values(params.get(name)):
        return [f'`split` needs the values to split by: write {name} = ["...", "..."] as InfoJobs names them.']
    return []
