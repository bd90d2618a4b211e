"""The JSON bodies of InfoJobs, key by key as recorded: the list's offers and an offer's own page."""

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

from inforadar.simulator.entry import Entry
from inforadar.simulator.making import full_text

Json = dict[str, Any]
EMPTY: Json = {"id": 0, "value": ""}
EXPERIENCES = {
    "noExperience": {"id": 1, "value": "No requerida"},
    "between1And3": {"id": 2, "value": "Al menos 1 año"},
    "between3And6": {"id": 3, "value": "Al menos 3 años"},
    "moreThan6": {"id": 9, "value": "Al menos 10 años"},
}
TELEWORKING = {
    "ON_SITE": {"id": 1, "value": "Presencial"},
    "REMOTE": {"id": 2, "value": "Solo teletrabajo"},
    "HYBRID": {"id": 3, "value": "Híbrido"},
}
CATEGORY = {"id": 150, "value": "Informática y telecomunicaciones"}
SUBCATEGORY = {"id": 3124, "value": "Programación"}
STUDY = {"id": 35, "value": "Ciclo Formativo Grado Medio"}
UNTOLD_EVERY = 7


def offer(entry: Entry) -> Json:
    """One offer of the list; whether it can be done from home is sometimes not told at all."""
    shown = {
        "id": entry.id,
        "title": entry.title,
        "province": province(entry),
        "city": entry.place.city,
        "link": link(entry),
        "category": CATEGORY,
        "contractType": {"id": 1, "value": "Indefinido"},
        "subcategory": SUBCATEGORY,
        **_pay(entry),
        "experienceMin": EXPERIENCES[entry.experience],
        "workDay": {"id": 1, "value": "Completa"},
        "study": STUDY,
        "teleworking": TELEWORKING[entry.work_format],
        "published": _date(entry.created_at),
        "updated": _date(entry.published_at),
        "author": {
            "id": f"{entry.company.id}00",
            "privateId": int(entry.company.id),
            "name": entry.company.name,
            "uri": f"https://www.infojobs.net/empresa/em-i{entry.company.id}00",
            "logoUrl": "",
            "corporateResponsive": False,
            "showCorporativeHeader": False,
        },
        "requirementMin": " ".join(entry.snippet),
        "bold": False,
        "applications": "0",
        "subSegment": 23,
        "executive": False,
        "salaryDescription": _salary_text(entry),
        "multiProvince": False,
        "urgent": False,
        "color": False,
    }
    if int(entry.id) % UNTOLD_EVERY == 0:
        del shown["teleworking"]
    return shown


def detail(entry: Entry) -> Json:
    """The whole offer, under other names than the list's."""
    return {
        "id": entry.id,
        "title": entry.title,
        "state": 1,
        "creationDate": _date(entry.created_at, "+0000"),
        "updateDate": _date(entry.published_at, "+0000"),
        "city": entry.place.city,
        "applications": entry.popularity,
        "province": province(entry),
        "experienceMin": EXPERIENCES[entry.experience],
        "category": CATEGORY,
        "subcategory": SUBCATEGORY,
        "studiesMin": STUDY,
        "teleworking": TELEWORKING[entry.work_format],
        "contractType": {"id": 1, "value": "Indefinido"},
        "journey": {"id": 1, "value": "Completa"},
        "profile": {"id": f"{entry.company.id}00", "name": entry.company.name, "web": ""},
        "minRequirements": ", ".join(entry.tags),
        "description": _text(entry),
        "desiredRequirements": "",
        "showPay": False,
        "languages": [],
        "link": link(entry),
        "active": entry.closing == "open",
        "archived": entry.closing == "archived",
        "deleted": False,
        "availableForVisualization": entry.closing == "open",
        "skillsList": [{"skill": tag} for tag in entry.tags],
        "salaryDescription": _salary_text(entry),
    }


def province(entry: Entry) -> Json:
    """The province an offer is in."""
    return {"id": 1 + sum(map(ord, entry.place.city)) % 52, "value": entry.place.city}


def link(entry: Entry) -> str:
    """The offer's page on the site."""
    return f"https://www.infojobs.net/{entry.place.city.lower()}/oferta/of-i{entry.id}"


def _pay(entry: Entry) -> Json:
    if entry.salary is None or entry.salary.low is None:
        return {"salaryMin": EMPTY, "salaryMax": EMPTY, "salaryPeriod": EMPTY}
    high = entry.salary.high or entry.salary.low
    return {
        "salaryMin": {"id": 260, "value": _euros(entry.salary.low)},
        "salaryMax": {"id": 280, "value": _euros(high)},
        "salaryPeriod": {"id": 3, "value": "Bruto/año"},
    }


def _salary_text(entry: Entry) -> str:
    if entry.salary is None or entry.salary.low is None:
        return "Salario no disponible"
    high = entry.salary.high or entry.salary.low
    return f"{_euros(entry.salary.low)} - {_euros(high)} Bruto/año".replace(" €", "€")


def _euros(amount: int) -> str:
    return f"{amount:,} €".replace(",", ".")


def _text(entry: Entry) -> str:
    """The long text as it is stored: plain, with line breaks."""
    paragraphs = re.findall(r"<p>(.*?)</p>", full_text(entry))
    return "\r\n\r\n".join(map(unescape, paragraphs))


def _date(moment: datetime, zone: str = "Z") -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000{zone}"
