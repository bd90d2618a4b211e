"""The parameters of hh.ru's search: their names, what is wrong with a query's, and date windows."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from inforadar.domain.paging import Window
from inforadar.domain.ports import ParamRule
from inforadar.sources.reading import as_text, read_time, unknown_params

GRAIN = timedelta(minutes=5)
NEWEST_FIRST = "publication_time"
OWN_PARAMS = frozenset(("order_by", "page", "per_page"))
PARAM_RULES: Mapping[str, ParamRule] = {
    "accept_temporary": ParamRule(),
    "area": ParamRule(is_list=True),
    "bottom_lat": ParamRule(),
    "clusters": ParamRule(),
    "currency": ParamRule(),
    "date_from": ParamRule(),
    "date_to": ParamRule(),
    "describe_arguments": ParamRule(),
    "driver_license_types": ParamRule(is_list=True),
    "education": ParamRule(is_list=True),
    "employer_id": ParamRule(is_list=True),
    "employment": ParamRule(is_list=True),
    "employment_form": ParamRule(is_list=True),
    "excluded_text": ParamRule(ignores_case=True),
    "experience": ParamRule(is_list=True),
    "fly_in_fly_out_duration": ParamRule(is_list=True),
    "host": ParamRule(default="hh.ru"),
    "industry": ParamRule(is_list=True),
    "label": ParamRule(is_list=True),
    "left_lng": ParamRule(),
    "locale": ParamRule(default="RU"),
    "metro": ParamRule(is_list=True),
    "no_magic": ParamRule(),
    "only_with_salary": ParamRule(),
    "order_by": ParamRule(default=NEWEST_FIRST),
    "page": ParamRule(default="0"),
    "part_time": ParamRule(is_list=True),
    "per_page": ParamRule(default="100"),
    "period": ParamRule(),
    "premium": ParamRule(default="false"),
    "professional_role": ParamRule(is_list=True),
    "responses_count_enabled": ParamRule(),
    "right_lng": ParamRule(),
    "salary": ParamRule(),
    "salary_frequency": ParamRule(is_list=True),
    "salary_mode": ParamRule(),
    "salary_range_mode": ParamRule(),
    "schedule": ParamRule(is_list=True),
    "search_field": ParamRule(is_list=True),
    "sort_point_lat": ParamRule(),
    "sort_point_lng": ParamRule(),
    "text": ParamRule(ignores_case=True),
    "top_lat": ParamRule(),
    "work_format": ParamRule(is_list=True),
    "work_schedule_by_days": ParamRule(is_list=True),
    "working_hours": ParamRule(is_list=True),
}

_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = range(1970, 9000)


def check_params(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what is wrong; hh ignores a misspelt name in silence and so widens the search."""
    return (*_unknown_names(params), *_forbidden_values(params), *_unreadable_dates(params))


def date_params(params: Mapping[str, Any], window: Window | None) -> dict[str, str]:
    """The user's own dates narrowed to the window, rounded outwards as the server rounds them anyhow."""
    if window is None:
        return {}
    lowest = [moment for moment in (_moment(params.get("date_from"), time.min), window.after) if moment]
    highest = [moment for moment in (_moment(params.get("date_to"), time.max), window.upto) if moment]
    dates = {}
    if lowest:
        dates["date_from"] = _written(_floored(max(lowest)))
    if highest:
        dates["date_to"] = _written(_ceiled(min(highest)))
    return dates


def _unknown_names(params: Mapping[str, Any]) -> list[str]:
    sentence = "hh does not know the parameter `{name}` and would ignore it"
    return unknown_params(params, PARAM_RULES, sentence, "docs/sources/hh.md")


def _forbidden_values(params: Mapping[str, Any]) -> list[str]:
    sentences = []
    if params.get("order_by", NEWEST_FIRST) != NEWEST_FIRST:
        sentences.append(f"`order_by` must stay `{NEWEST_FIRST}`: in any other order new vacancies are lost.")
    sentences += [f"`{name}` is set by Radar itself: leave it out." for name in ("page", "per_page") if name in params]
    if "period" in params:
        sentences.append(
            "`period` cannot be used with the date windows that Radar asks for: set `cutoff_date` or "
            "`lookback_days` of the query instead."
        )
    return sentences


def _unreadable_dates(params: Mapping[str, Any]) -> list[str]:
    return [
        f"`{name}` is not a date: write it as 2026-01-31 or 2026-01-31T12:00:00+03:00."
        for name in ("date_from", "date_to")
        if params.get(name) not in (None, "") and _moment(params[name], time.min) is None
    ]


def _moment(value: Any, day_time: time) -> datetime | None:
    """A date parameter as a moment; a bare day begins or ends at `day_time` UTC."""
    if isinstance(value, datetime):
        moment: datetime | None = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
    elif isinstance(value, date):
        moment = datetime.combine(value, day_time, UTC)
    else:
        moment = read_time(value)
        if moment is not None and len(as_text(value).strip()) <= len("2026-01-31"):
            moment = datetime.combine(moment.date(), day_time, UTC)
    return moment if moment is not None and moment.year in _YEARS else None


def _floored(moment: datetime) -> datetime:
    return moment - (moment - _ZERO) % GRAIN


def _ceiled(moment: datetime) -> datetime:
    floored = _floored(moment)
    return floored if floored == moment else floored + GRAIN


def _written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}+0000"
