"""One vacancy of hh.ru as its JSON shows it, in a list or on its own."""

from collections.abc import Mapping
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Detail
from inforadar.sources.reading import (
    UNDATED,
    as_digits,
    as_int,
    as_list,
    as_mapping,
    as_text,
    read_time,
    without_empty,
)
from inforadar.sources.text import clean_line, plain_text, unmarked

CURRENCIES = {"RUR": "RUB", "BYR": "BYN"}


def read_vacancy(entry: Mapping[str, Any]) -> Draft:
    """The draft of one entry; raises Unreadable without id or name."""
    key = as_digits(entry.get("id"))
    title = unmarked(as_text(entry.get("name")))
    if key is None or not title:
        raise Unreadable("a vacancy without id or name")
    published_at = read_time(entry.get("published_at"))
    employer = as_mapping(entry.get("employer"))
    shown_at = as_text(entry.get("alternate_url"))
    return Draft(
        key=key,
        rank=published_at or UNDATED,
        is_dated=published_at is not None,
        url=shown_at if shown_at.startswith(("https://", "http://")) else f"https://hh.ru/vacancy/{key}",
        title=title,
        company=unmarked(as_text(employer.get("name"))) or None,
        company_key=as_digits(employer.get("id")),
        data=_data(entry),
    )


def _data(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The plain fields under the names all vacancy sources share; what hh left out is absent."""
    snippet = as_mapping(entry.get("snippet"))
    return without_empty(
        {
            "place": clean_line(_name_of(entry.get("area"))),
            "address": clean_line(as_text(as_mapping(entry.get("address")).get("raw"))),
            "company_url": as_text(as_mapping(entry.get("employer")).get("alternate_url")),
            "salary": _salary(entry),
            "experience": _id_of(entry.get("experience")),
            "employment": _id_of(entry.get("employment_form")) or _id_of(entry.get("employment")),
            "schedule": _id_of(entry.get("schedule")),
            "work_format": _ids_of(entry.get("work_format")),
            "remote": _is_remote(entry),
            "roles": [clean_line(_name_of(role)) for role in as_list(entry.get("professional_roles"))],
            "snippet": _joined(snippet.get("requirement"), snippet.get("responsibility")),
            "archived": _flag(entry.get("archived")),
        }
    )


def _salary(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The newer `salary_range` where it is told: only it says that a rate is by the hour."""
    told = as_mapping(entry.get("salary_range")) or as_mapping(entry.get("salary"))
    lowest, highest = as_int(told.get("from")), as_int(told.get("to"))
    if lowest is None and highest is None:
        return {}
    currency = clean_line(as_text(told.get("currency"))).upper()
    return without_empty(
        {
            "from": lowest,
            "to": highest,
            "currency": CURRENCIES.get(currency, currency),
            "gross": _flag(told.get("gross")),
            "mode": _id_of(told.get("mode")),
            "frequency": _id_of(told.get("frequency")),
        }
    )


def _is_remote(entry: Mapping[str, Any]) -> bool | None:
    formats, schedule = _ids_of(entry.get("work_format")), _id_of(entry.get("schedule"))
    return "REMOTE" in formats or schedule == "remote" if formats or schedule else None


def _flag(value: Any) -> bool | None:
    """A boolean that old answers wrote as text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(as_text(value).lower())


def _id_of(value: Any) -> str:
    return clean_line(as_text(as_mapping(value).get("id")))


def _ids_of(value: Any) -> list[str]:
    return [found for found in map(_id_of, as_list(value)) if found]


def _name_of(value: Any) -> str:
    return as_text(as_mapping(value).get("name"))


def _joined(*parts: Any) -> str:
    return "\n".join(text for text in (unmarked(as_text(part)) for part in parts) if text)


def read_vacancy_detail(vacancy: Mapping[str, Any]) -> Detail:
    """The detail of one vacancy: an archived one is gone; raises Unreadable when it is none."""
    if as_digits(vacancy.get("id")) is None:
        raise Unreadable("hh's answer is not a vacancy")
    skills = [unmarked(_name_of(skill)) for skill in as_list(vacancy.get("key_skills"))]
    created_at = read_time(vacancy.get("initial_created_at"))
    told = {
        "key_skills": [skill for skill in skills if skill],
        "initial_created_at": created_at.isoformat() if created_at else None,
    }
    return Detail(
        availability="gone" if _flag(vacancy.get("archived")) else "alive",
        is_closed=bool(_flag(vacancy.get("archived"))),
        full_text=plain_text(as_text(vacancy.get("description"))) or None,
        data=_data(vacancy) | without_empty(told),
    )
