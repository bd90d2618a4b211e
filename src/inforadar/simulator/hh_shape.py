"""The JSON bodies of hh.ru, key by key as recorded."""

import re
from datetime import datetime, timedelta, timezone
from typing import Any

from inforadar.simulator.entry import Entry, Salary
from inforadar.simulator.making import full_text

Json = dict[str, Any]
MOSCOW = timezone(timedelta(hours=3))
NAMES = {
    "noExperience": "Нет опыта",
    "between1And3": "От 1 года до 3 лет",
    "between3And6": "От 3 до 6 лет",
    "moreThan6": "Более 6 лет",
    "ON_SITE": "На месте работодателя",
    "REMOTE": "Удалённо",
    "HYBRID": "Гибрид",
    "MONTH": "За месяц",
    "HOUR": "За час",
    "MONTHLY": "Раз в месяц",
    "TWICE_PER_MONTH": "Два раза в месяц",
    "WEEKLY": "Раз в неделю",
}
DEPTH_TEXT = "you can't look up more than 2000 items in the list"
DEPTH_ERROR: Json = {
    "errors": [{"type": "bad_argument", "value": "page"}, {"type": "bad_argument", "value": "per_page"}],
    "bad_arguments": [{"name": "page, per_page", "description": DEPTH_TEXT}],
    "description": DEPTH_TEXT,
    "bad_argument": "page, per_page",
}


def item(entry: Entry, words: frozenset[str]) -> Json:
    """One entry of the list; the searched words are marked in its snippet."""
    return {
        **_shared(entry),
        "sort_point_distance": None,
        "show_logo_in_search": None,
        "url": f"https://api.hh.ru/vacancies/{entry.id}?host=hh.ru",
        "snippet": {
            "requirement": _marked(f"{', '.join(entry.tags)}. {entry.snippet[0]}", words),
            "responsibility": _marked(entry.snippet[1], words),
        },
        "show_contacts": False,
        "fly_in_fly_out_duration": [],
        "adv_response_url": None,
        "is_adv_vacancy": False,
        "adv_context": None,
    }


def detail(entry: Entry) -> Json:
    """The whole vacancy."""
    return {
        **_shared(entry),
        "billing_type": {"id": "standard", "name": "Стандарт"},
        "allow_messages": True,
        "description": full_text(entry),
        "branded_description": None,
        "vacancy_constructor_template": None,
        "key_skills": [{"name": tag} for tag in entry.tags],
        "accept_handicapped": False,
        "accept_kids": False,
        "archived": entry.closing == "archived",
        "code": None,
        "hidden": False,
        "quick_responses_allowed": False,
        "driver_license_types": [],
        "initial_created_at": _date(entry.created_at),
        "negotiations_url": None,
        "suitable_resumes_url": None,
        "test": None,
        "languages": [],
        "video_vacancy": None,
    }


def _shared(entry: Entry) -> Json:
    return {
        "id": entry.id,
        "premium": entry.is_promoted,
        "name": entry.title,
        "department": None,
        "has_test": False,
        "response_letter_required": False,
        "area": _area(entry),
        "salary": _salary(entry.salary),
        "salary_range": _salary_range(entry.salary),
        "type": {"id": "anonymous", "name": "Анонимная"} if entry.is_anonymous else {"id": "open", "name": "Открытая"},
        "address": _address(entry),
        "response_url": None,
        "published_at": _date(entry.published_at),
        "created_at": _date(entry.published_at),
        "archived": False,
        "apply_alternate_url": f"https://hh.ru/applicant/vacancy_response?vacancyId={entry.id}",
        "insider_interview": None,
        "alternate_url": f"https://hh.ru/vacancy/{entry.id}",
        "relations": [],
        "employer": _employer(entry),
        "contacts": None,
        **_working_terms(entry),
    }


def _working_terms(entry: Entry) -> Json:
    is_remote = entry.work_format == "REMOTE"
    return {
        "schedule": {"id": "remote", "name": "Удаленная работа"}
        if is_remote
        else {"id": "fullDay", "name": "Полный день"},
        "working_days": [],
        "working_time_intervals": [],
        "working_time_modes": [],
        "accept_temporary": False,
        "work_format": [_named(entry.work_format)],
        "working_hours": [{"id": "HOURS_8", "name": "8 часов"}],
        "work_schedule_by_days": [{"id": "FIVE_ON_TWO_OFF", "name": "5/2"}],
        "accept_labor_contract": True,
        "civil_law_contracts": [],
        "night_shifts": False,
        "professional_roles": [{"id": "96", "name": "Программист, разработчик"}],
        "accept_incomplete_resumes": False,
        "experience": _named(entry.experience),
        "employment": {"id": "full", "name": "Полная занятость"},
        "employment_form": {"id": "FULL", "name": "Полная"},
        "internship": False,
    }


def _named(code: str) -> Json:
    return {"id": code, "name": NAMES[code]}


def _date(moment: datetime) -> str:
    return moment.astimezone(MOSCOW).strftime("%Y-%m-%dT%H:%M:%S%z")


def _area(entry: Entry) -> Json:
    code = entry.place.hh[0]
    return {"id": code, "name": entry.place.city, "url": f"https://api.hh.ru/areas/{code}"}


def _address(entry: Entry) -> Json | None:
    if int(entry.id) % 7 == 0:
        return None
    return {
        "city": entry.place.city,
        "street": "улица Примерная",
        "building": str(int(entry.id) % 90 + 1),
        "lat": 55.75,
        "lng": 37.62,
        "description": None,
        "raw": f"{entry.place.city}, улица Примерная, {int(entry.id) % 90 + 1}",
        "metro": None,
        "metro_stations": [],
        "id": entry.id[-7:],
    }


def _employer(entry: Entry) -> Json:
    if entry.is_anonymous:
        return {"name": entry.company.name, "trusted": True}
    code = entry.company.id
    return {
        "id": code,
        "name": entry.company.name,
        "url": f"https://api.hh.ru/employers/{code}",
        "alternate_url": f"https://hh.ru/employer/{code}",
        "logo_urls": None,
        "vacancies_url": f"https://api.hh.ru/vacancies?employer_id={code}",
        "country_id": 1,
        "accredited_it_employer": False,
        "trusted": True,
    }


def _salary(salary: Salary | None) -> Json | None:
    if salary is None:
        return None
    return {"from": salary.low, "to": salary.high, "currency": salary.currency, "gross": salary.gross}


def _salary_range(salary: Salary | None) -> Json | None:
    if salary is None:
        return None
    frequency = _named(salary.frequency) if salary.frequency else None
    return {**(_salary(salary) or {}), "mode": _named(salary.mode), "frequency": frequency}


def _marked(text: str, words: frozenset[str]) -> str:
    if not words:
        return text
    found = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.sub(rf"(?<!\w)({found})(?!\w)", r"<highlighttext>\1</highlighttext>", text, flags=re.IGNORECASE)
