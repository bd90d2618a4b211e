"""Which source a listing's address belongs to, and its key there, however the address is written.

A new source is one line in ADDRESSES: the hosts it is known by (their subdomains count too) and where in the address
the key stands.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, urlsplit

from inforadar.domain.url import normalise_url

_WITHOUT_SCHEME = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?/", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """How the addresses of one source's listings look; `param` is the query parameter that may hold the key."""

    hosts: re.Pattern[str]
    path: re.Pattern[str]
    param: str | None = None


ADDRESSES: Mapping[str, Address] = {
    "hh": Address(
        hosts=re.compile(r"(?:.+\.)?(?:hh\.(?:ru|kz|uz)|headhunter\.(?:ru|kz|ge)|rabota\.by)"),
        path=re.compile(r"/(?:vacancy|vacancies)/(\d+)"),
        param="vacancyId",
    ),
    "linkedin": Address(
        hosts=re.compile(r"(?:.+\.)?linkedin\.com"),
        path=re.compile(r"/(?:comm/)?jobs/view/(?:[^/]*-)?(\d+)|/jobs-guest/jobs/api/jobPosting/(\d+)"),
        param="currentJobId",
    ),
    "habr": Address(
        hosts=re.compile(r"(?:.+\.)?(?:habr\.com|habrahabr\.ru)"),
        path=re.compile(
            r"(?:/[a-z]{2})?(?:/(?:company|companies)/[^/]+)?/(?:articles?|posts?|news(?:/t)?|blog|sandbox)/(\d+)"
            r"(?:/comments)?"
        ),
    ),
    "infojobs": Address(
        hosts=re.compile(r"(?:.+\.)?infojobs\.net"),
        path=re.compile(r"(?:/[^/]+)*/of-i([0-9a-f]{8,64})"),
    ),
    "ebay": Address(
        hosts=re.compile(r"(?:.+\.)?ebay(?:\.[a-z]{2,3}){1,2}"),
        path=re.compile(r"/itm/(?:[^/]+/)?(\d+)"),
    ),
}
ANYWHERE = frozenset(
    ("rest", "feed", "greenhouse", "lever", "ashby", "smartrecruiters", "workable", "recruitee"),
)
"""Sources whose listings may be at any address: companies show their boards on sites of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page of a source; `key` names the listing it is about, None = it is about none."""

    source: str
    key: str | None


def is_address(text: str) -> bool:
    """Whether a text looks like the address of a page; the scheme may be missing."""
    return _has_scheme(text) or _WITHOUT_SCHEME.match(text) is not None


def full_address(text: str) -> str:
    """An address in its one form, with its scheme."""
    return normalise_url(text if _has_scheme(text) else f"https://{text}")


def recognise(address: str) -> Place | None:
    """Whose page an address is; None = of no known source."""
    try:
        parts = urlsplit(full_address(address))
    except ValueError:
        return None
    host = parts.hostname or ""
    found = ((source, known) for source, known in ADDRESSES.items() if known.hosts.fullmatch(host))
    return next((Place(source=source, key=_key(known, parts)) for source, known in found), None)


def _has_scheme(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))


def _key(known: Address, parts: SplitResult) -> str | None:
    in_path = known.path.fullmatch(parts.path.rstrip("/"))
    if in_path:
        return next(group for group in in_path.groups() if group)
    in_query = parse_qs(parts.query).get(known.param, []) if known.param else []
    return next((value for value in in_query if value.isascii() and value.isdigit()), None)
