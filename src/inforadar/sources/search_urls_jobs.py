"""The search pages of hh.ru, LinkedIn and InfoJobs as queries."""

import re
from urllib.parse import SplitResult

from inforadar.sources.hh_params import OWN_PARAMS as HH_OWN
from inforadar.sources.hh_params import PARAM_RULES as HH_RULES
from inforadar.sources.infojobs_params import EVER
from inforadar.sources.infojobs_params import OWN_PARAMS as INFOJOBS_OWN
from inforadar.sources.infojobs_params import PARAM_RULES as INFOJOBS_RULES
from inforadar.sources.linkedin import OWN_PARAMS as LINKEDIN_OWN
from inforadar.sources.linkedin import PARAM_RULES as LINKEDIN_RULES
from inforadar.sources.search_urls_reading import (
    NO_FILTER,
    RADARS_OWN,
    Asked,
    LeftOut,
    NotASearch,
    Pairs,
    by_rules,
    is_tracking,
    segments,
)

HH_HOME = "hh.ru"
HH_PAGING = ("order_by", "page", "per_page", "items_on_page", "clusters", "describe_arguments", "premium", "locale")
HH_NOISE = (
    *("L_save_area", "L_is_autosearch", "enable_snippets", "ored_clusters", "customDomain", "no_magic", "suggestId"),
    *("from", "source", "disableBrowserCache", "searchSessionId", "saved_search_id", "responses_count_enabled"),
)
HH_PERIOD = "Radar asks by dates itself: set cutoff_date of the query instead"
LINKEDIN_PAGING = ("sortBy", "sort", "start", "pageNum", "position", "count")
LINKEDIN_NOISE = (
    *("currentJobId", "origin", "originalSubdomain", "originToLandingJobPostings", "refId", "trackingId", "trk"),
    *("lipi", "refresh", "spellCorrectionEnabled", "savedSearchId", "savedSearchAuthToken", "alertAction", "eBP"),
    *("keywordsType", "locationType", "trkInfo", "refresh", "discover", "discoveryOrigin"),
)
INFOJOBS_PAGING = ("page", "sortBy", "order", "maxResults")
INFOJOBS_SINCE = "Radar chooses it from the time since the last sweep: set cutoff_date of the query instead"
INFOJOBS_NUMBERS = {
    "categoryIds": "category",
    "subcategoryIds": "subcategory",
    "teleworkingIds": "teleworking",
    "workdayIds": "workday",
    "contractTypeIds": "contractType",
    "educationIds": "study",
}
"""What the page filters by numbers and the API by keys, which only InfoJobs' dictionary joins."""

_HH_SEARCH = re.compile(r"/search/vacancy(?:/(?:advanced|map))?/?")
_HH_EMPLOYER = re.compile(r"/employer/(\d+)/?")
_LINKEDIN_SEARCH = re.compile(r"(?:/comm)?/jobs(?:/(?:search|search-results|collections/[\w-]+))?/?|/jobs-guest/.+")
_INFOJOBS_SEARCH = re.compile(r"/jobsearch/search-results/list\.xhtml|/ofertas-trabajo/?|/?")


def read_hh(parts: SplitResult, host: str) -> Asked:
    """hh.ru and the sites of its other countries; a town's own host is named, for it narrows nothing here."""
    pairs = Pairs.of(parts)
    employer = _HH_EMPLOYER.fullmatch(parts.path)
    if employer is None and not _HH_SEARCH.fullmatch(parts.path):
        raise NotASearch("This page of hh is not a search. Search there, then give the address of the results.")
    pairs.leave(HH_PAGING, RADARS_OWN)
    pairs.leave([*HH_NOISE, *filter(is_tracking, pairs.rest())], NO_FILTER)
    pairs.leave(("period", "search_period"), HH_PERIOD, is_lost=True)
    params = by_rules(pairs, HH_RULES, HH_OWN)
    if employer:
        params["employer_id"] = employer[1]
    town, home = _hh_site(host)
    if home != HH_HOME:
        params["host"] = home
    if town and "area" not in params:
        why = "the town is not part of the search: add --area with its number (https://api.hh.ru/areas)"
        pairs.left_out.append(LeftOut(name="host", value=host, why=why, is_lost=True))
    return Asked(source="hh", params=params, left_out=pairs.finish("hh's search has no such parameter"))


def read_linkedin(parts: SplitResult, _host: str) -> Asked:
    """LinkedIn's search of jobs, as members and as guests see it."""
    pairs = Pairs.of(parts)
    if not _LINKEDIN_SEARCH.fullmatch(parts.path) and not _is_named_search(parts, pairs):
        raise NotASearch("This page of LinkedIn is not a search. Search for jobs there, then give that address.")
    pairs.leave(LINKEDIN_PAGING, RADARS_OWN)
    pairs.leave([*LINKEDIN_NOISE, *filter(is_tracking, pairs.rest())], NO_FILTER)
    params = by_rules(pairs, LINKEDIN_RULES, LINKEDIN_OWN, joined_by=",")
    if not params:
        raise NotASearch("The address holds neither words nor a place. Search for jobs there, then give that address.")
    return Asked(
        source="linkedin", params=params, left_out=pairs.finish("LinkedIn shows guests no list filtered by this")
    )


def read_infojobs(parts: SplitResult, _host: str) -> Asked:
    """InfoJobs' search; what its page filters by numbers is named with the parameter that does the same."""
    pairs = Pairs.of(parts)
    if not _INFOJOBS_SEARCH.fullmatch(parts.path):
        raise NotASearch(
            "This page of InfoJobs is not its search. Search there with the filters on the left, "
            "then give the address that ends in list.xhtml?..."
        )
    keyword = pairs.one("keyword") or pairs.one("q")
    pairs.leave(INFOJOBS_PAGING, RADARS_OWN)
    pairs.leave(("sinceDate",), INFOJOBS_SINCE, is_lost=pairs.one("sinceDate") not in ("", EVER))
    pairs.leave(["segmentId", "normalizedJobTitleIds", *filter(is_tracking, pairs.rest())], NO_FILTER)
    if pairs.one("onlyForeignCountry") == "true":
        pairs.left_out.append(
            LeftOut(name="onlyForeignCountry", value="true", why="add --country with its key", is_lost=True)
        )
    for name, key in INFOJOBS_NUMBERS.items():
        pairs.leave(
            [name], f"the API wants a key instead of a number: add --{key} (docs/sources/infojobs.md)", is_lost=True
        )
    params = by_rules(pairs, INFOJOBS_RULES, INFOJOBS_OWN, joined_by=",")
    asked = ({"q": keyword} if keyword else {}) | params
    return Asked(source="infojobs", params=asked, left_out=pairs.finish("InfoJobs' search has no such parameter"))


def _hh_site(host: str) -> tuple[str, str]:
    """A town's part of a host, empty if there is none, and the site of the country."""
    labels = host.removeprefix("www.").removeprefix("m.").split(".")
    home = ".".join(labels[-2:])
    return ".".join(labels[:-2]), HH_HOME if home == "headhunter.ru" else home


def _is_named_search(parts: SplitResult, pairs: Pairs) -> bool:
    """Pages such as /jobs/python-jobs-madrid: their words are in the parameters, or nowhere."""
    where = segments(parts)
    return len(where) == 2 and where[0] == "jobs" and any(name == "keywords" for name, _ in pairs.pairs)
