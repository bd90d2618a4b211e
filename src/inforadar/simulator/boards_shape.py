"""The JSON of openings on company boards, key by key as recorded, for six applicant systems."""

import html
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

from inforadar.simulator.entry import Entry
from inforadar.simulator.making import full_text

Json = dict[str, Any]
NEW_YORK = timezone(timedelta(hours=-4))
DEPARTMENTS = ("Engineering", "Sales", "Operations")
FORMS = {"REMOTE": "remote", "HYBRID": "hybrid", "ON_SITE": "on-site"}


def wire_id(source: str, entry_id: str) -> str:
    """An entry's id as its system writes it."""
    if source in ("lever", "ashby"):
        return str(uuid.UUID(int=int(entry_id)))
    return f"{int(entry_id):010X}" if source == "workable" else entry_id


def entry_id(shown: str) -> str:
    """The entry behind an id in the address of its own page."""
    return str(uuid.UUID(shown).int) if "-" in shown else shown


def greenhouse_job(entry: Entry, board: str) -> Json:
    """One job of a Greenhouse board; the text is HTML escaped once more."""
    return {
        "absolute_url": f"https://job-boards.greenhouse.io/{board}/jobs/{entry.id}",
        "internal_job_id": int(entry.id) + 1,
        "location": {"name": _place(entry)},
        "metadata": [],
        "id": int(entry.id),
        "updated_at": entry.published_at.astimezone(NEW_YORK).isoformat(),
        "requisition_id": entry.id[-4:],
        "title": entry.title,
        "company_name": entry.company.name,
        "first_published": entry.published_at.astimezone(NEW_YORK).isoformat(),
        "language": entry.lang,
        "application_deadline": None,
        "content": html.escape(full_text(entry)),
        "departments": [{"id": 1, "name": _department(entry), "child_ids": [], "parent_id": None}],
        "offices": [{"id": 2, "name": entry.place.country, "location": None, "child_ids": [], "parent_id": None}],
    }


def lever_posting(entry: Entry, board: str) -> Json:
    """One posting of Lever, dated in milliseconds."""
    shown = wire_id("lever", entry.id)
    return {
        "additional": "",
        "additionalPlain": "",
        "categories": {
            "commitment": "Full-time",
            "department": entry.company.name,
            "location": _place(entry),
            "team": _department(entry),
            "allLocations": [_place(entry)],
        },
        "createdAt": int(entry.published_at.timestamp() * 1000),
        "description": full_text(entry),
        "descriptionPlain": "",
        "id": shown,
        "lists": [{"text": "Skills", "content": "".join(f"<li>{tag}</li>" for tag in entry.tags)}],
        "salaryRange": _pay(entry, "min", "max", interval="per-month-salary"),
        "text": entry.title,
        "country": "RU",
        "workplaceType": FORMS[entry.work_format],
        "hostedUrl": f"https://jobs.lever.co/{board}/{shown}",
        "applyUrl": f"https://jobs.lever.co/{board}/{shown}/apply",
    }


def ashby_job(entry: Entry, board: str) -> Json:
    """One job of an Ashby board."""
    shown = wire_id("ashby", entry.id)
    pay = _pay(entry, "minValue", "maxValue", interval="1 MONTH", compensationType="Salary")
    parts = [{**pay, "currencyCode": pay["currency"]}] if pay else []
    return {
        "id": shown,
        "title": entry.title,
        "department": "Product",
        "team": _department(entry),
        "employmentType": "FullTime",
        "location": _place(entry),
        "shouldDisplayCompensationOnJobPostings": bool(parts),
        "secondaryLocations": [],
        "publishedAt": _iso(entry.published_at),
        "isListed": True,
        "isRemote": entry.work_format == "REMOTE",
        "workplaceType": {"REMOTE": "Remote", "HYBRID": "Hybrid", "ON_SITE": "OnSite"}[entry.work_format],
        "jobUrl": f"https://jobs.ashbyhq.com/{board}/{shown}",
        "applyUrl": f"https://jobs.ashbyhq.com/{board}/{shown}/application",
        "descriptionHtml": full_text(entry),
        "descriptionPlain": "",
        "compensation": {"compensationTierSummary": None, "compensationTiers": [], "summaryComponents": parts},
    }


def smartrecruiters_posting(entry: Entry, board: str) -> Json:
    """One posting in a list of SmartRecruiters, without its text."""
    return {
        "id": entry.id,
        "name": entry.title,
        "company": {"identifier": board, "name": entry.company.name},
        "releasedDate": _iso(entry.published_at),
        "location": {
            "city": entry.place.city,
            "region": entry.place.region,
            "country": entry.lang,
            "remote": entry.work_format == "REMOTE",
            "hybrid": entry.work_format == "HYBRID",
            "fullLocation": _place(entry),
        },
        "department": {"id": "1", "label": _department(entry)},
        "typeOfEmployment": {"id": "permanent", "label": "Full-time"},
        "experienceLevel": {"id": "mid_senior_level", "label": "Mid-Senior Level"},
        "ref": f"https://api.smartrecruiters.com/v1/companies/{board}/postings/{entry.id}",
    }


def smartrecruiters_detail(entry: Entry, board: str) -> Json:
    """One posting of SmartRecruiters on its own."""
    section = {"title": "Job Description", "text": full_text(entry)}
    return {**smartrecruiters_posting(entry, board), "active": True, "jobAd": {"sections": {"jobDescription": section}}}


def workable_job(entry: Entry, _board: str) -> Json:
    """One job of Workable's widget, dated by its day."""
    code = wire_id("workable", entry.id)
    place = {"country": entry.place.country, "city": entry.place.city, "region": entry.place.region}
    return {
        "title": entry.title,
        "shortcode": code,
        "employment_type": "Full-time",
        "telecommuting": entry.work_format == "REMOTE",
        "department": _department(entry),
        "url": f"https://apply.workable.com/j/{code}",
        "published_on": entry.published_at.date().isoformat(),
        "created_at": entry.created_at.date().isoformat(),
        "country": entry.place.country,
        "city": entry.place.city,
        "locations": [{**place, "countryCode": "XX", "hidden": False}],
        "description": full_text(entry),
    }


def recruitee_offer(entry: Entry, board: str) -> Json:
    """One offer of Recruitee, dated in its own way."""
    pay = _pay(entry, "min", "max", period="month")
    return {
        "id": int(entry.id),
        "guid": entry.id[-5:],
        "slug": f"offer-{entry.id}",
        "title": entry.title,
        "company_name": entry.company.name,
        "location": _place(entry),
        "remote": entry.work_format == "REMOTE",
        "on_site": entry.work_format == "ON_SITE",
        "hybrid": entry.work_format == "HYBRID",
        "status": "published",
        "careers_url": f"https://{board}.recruitee.com/o/offer-{entry.id}",
        "published_at": f"{entry.published_at:%Y-%m-%d %H:%M:%S} UTC",
        "created_at": f"{entry.created_at:%Y-%m-%d %H:%M:%S} UTC",
        "salary": pay or {"max": None, "min": None, "period": None, "currency": None},
        "employment_type_code": "fulltime",
        "department": _department(entry),
        "description": full_text(entry),
        "requirements": "",
    }


def _place(entry: Entry) -> str:
    return f"{entry.place.city}, {entry.place.country}"


def _department(entry: Entry) -> str:
    return DEPARTMENTS[int(entry.id) % len(DEPARTMENTS)]


def _iso(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def _pay(entry: Entry, low: str, high: str, **more: Any) -> Json:
    if entry.salary is None:
        return {}
    return {low: entry.salary.low, high: entry.salary.high, "currency": entry.salary.currency, **more}
