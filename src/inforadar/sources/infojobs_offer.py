"""One offer of InfoJobs as its JSON shows it: the list's names differ from the offer's own page."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Detail
from inforadar.sources.reading import UNDATED, as_digits, as_list, as_mapping, as_text, read_time, without_empty
from inforadar.sources.text import clean_line, clean_lines

NO_SALARY = "Salario no disponible"
TELEWORKING = {1: "ON_SITE", 2: "REMOTE", 3: "HYBRID"}
PERIODS = {1: "HOUR", 2: "MONTH", 3: "YEAR"}

_KEY = re.compile(r"[0-9a-f]{8,64}")
_AMOUNT = re.compile(r"\d{1,3}(?:\.\d{3})+|\d{1,9}")
_YEARS = re.compile(r"(\d{1,2}) años?")


def read_offer(entry: Mapping[str, Any]) -> Draft:
    """The draft of one entry of a list; raises Unreadable without id or title.

    It stands in the list by `updated`, which moves whenever the offer is raised: no change, only a place.
    """
    key = as_text(entry.get("id"))
    title = clean_line(as_text(entry.get("title")))
    if not _KEY.fullmatch(key) or not title:
        raise Unreadable("an offer without id or title")
    updated_at = read_time(entry.get("updated")) or read_time(entry.get("published"))
    author = as_mapping(entry.get("author"))
    link = as_text(entry.get("link"))
    return Draft(
        key=key,
        rank=updated_at or UNDATED,
        is_dated=updated_at is not None,
        url=link if link.startswith(("https://", "http://")) else f"https://www.infojobs.net/of-i{key}",
        title=title,
        company=clean_line(as_text(author.get("name"))) or None,
        company_key=as_digits(author.get("privateId")) or clean_line(as_text(author.get("id"))) or None,
        data=_list_data(entry, author),
    )


def read_offer_detail(offer: Mapping[str, Any]) -> Detail:
    """The detail of one offer; archived, deleted or inactive is closed. Raises Unreadable when it is none."""
    if not _KEY.fullmatch(as_text(offer.get("id"))):
        raise Unreadable("InfoJobs' answer is not an offer")
    is_closed = offer.get("archived") is True or offer.get("deleted") is True or offer.get("active") is False
    return Detail(
        availability="gone" if is_closed else "alive",
        is_closed=is_closed,
        full_text=_full_text(offer) or None,
        data=_detail_data(offer),
    )


def _list_data(entry: Mapping[str, Any], author: Mapping[str, Any]) -> dict[str, Any]:
    pay = _salary(_money(entry.get("salaryMin")), _money(entry.get("salaryMax")), _id_of(entry.get("salaryPeriod")))
    told = {
        "company_url": as_text(author.get("uri")),
        "salary": pay,
        "schedule": _name_of(entry.get("workDay")),
        "education": _name_of(entry.get("study")),
        "snippet": clean_lines(as_text(entry.get("requirementMin"))),
        "initial_created_at": _written(read_time(entry.get("published"))),
    }
    return without_empty(_shared_data(entry) | told)


def _detail_data(offer: Mapping[str, Any]) -> dict[str, Any]:
    profile, lowest, highest = (as_mapping(offer.get(name)) for name in ("profile", "minPay", "maxPay"))
    pay = _salary(_whole(lowest.get("amount")), _whole(highest.get("amount")), _whole(lowest.get("periodId")) or 0)
    told = {
        "company_url": as_text(profile.get("web")),
        "salary": pay if offer.get("showPay") is True else {},
        "schedule": _name_of(offer.get("journey")),
        "education": _name_of(offer.get("studiesMin")),
        "key_skills": [clean_line(as_text(as_mapping(one).get("skill"))) for one in as_list(offer.get("skillsList"))],
        "languages": [_language(as_mapping(one)) for one in as_list(offer.get("languages"))],
        "initial_created_at": _written(read_time(offer.get("creationDate"))),
    }
    return without_empty(_shared_data(offer) | told)


def _shared_data(offer: Mapping[str, Any]) -> dict[str, Any]:
    """What the list and the offer's own page tell under the same names; empty is `{id: 0, value: ""}`."""
    experience = _name_of(offer.get("experienceMin"))
    years = _YEARS.search(experience)
    work_format = TELEWORKING.get(_id_of(offer.get("teleworking")))
    return {
        "place": _place(offer),
        "salary_text": _salary_text(offer),
        "experience": experience,
        "experience_years_min": int(years[1]) if years else None,
        "employment": _name_of(offer.get("contractType")),
        "work_format": [work_format] if work_format else [],
        "remote": work_format == "REMOTE" if work_format else None,
        "roles": [name for name in map(_name_of, (offer.get("category"), offer.get("subcategory"))) if name],
    }


def _place(offer: Mapping[str, Any]) -> str:
    city, province = clean_line(as_text(offer.get("city"))), _name_of(offer.get("province"))
    return ", ".join(dict.fromkeys(part for part in (city, province) if part))


def _salary_text(offer: Mapping[str, Any]) -> str:
    text = clean_line(as_text(offer.get("salaryDescription")))
    return "" if text == NO_SALARY else text


def _salary(lowest: int | None, highest: int | None, period: int) -> dict[str, Any]:
    if lowest is None and highest is None:
        return {}
    told = {"from": lowest, "to": highest, "currency": "EUR", "gross": True, "mode": PERIODS.get(period)}
    return without_empty(told)


def _money(value: Any) -> int | None:
    """The amount in `{id, value: "28.000 €"}`; thousands are parted by points."""
    found = _AMOUNT.search(_name_of(value))
    return int(found[0].replace(".", "")) if found else None


def _full_text(offer: Mapping[str, Any]) -> str:
    parts = (
        clean_lines(as_text(offer.get(name))) for name in ("description", "minRequirements", "desiredRequirements")
    )
    return "\n\n".join(part for part in parts if part)


def _language(told: Mapping[str, Any]) -> str:
    name, level = (clean_line(as_text(told.get(part))) for part in ("name", "level"))
    return f"{name} ({level})" if name and level else name


def _written(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _id_of(value: Any) -> int:
    return _whole(as_mapping(value).get("id")) or 0


def _name_of(value: Any) -> str:
    return clean_line(as_text(as_mapping(value).get("value")))


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None
