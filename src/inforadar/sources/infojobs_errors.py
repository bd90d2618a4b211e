"""What InfoJobs' refusals mean: its error codes as errors that name the remedy."""

from collections.abc import Mapping
from typing import Any

from inforadar.domain.errors import BadQuery, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer
from inforadar.sources.reading import as_digits, as_mapping, as_text, failure, read_json
from inforadar.sources.text import clean_line

BAD_PAGE = "306"
BAD_OFFER = "313"
CREDENTIALS = "`[sources.infojobs] client_id` and `client_secret`"
REFUSED_PARAMS: Mapping[str, str] = {
    "226": "a date",
    "301": "`province`",
    "302": "`country`",
    "303": "`category`",
    "304": "`subcategory`",
    "305": "`order`",
    BAD_PAGE: "the page",
    "307": "`contractType`",
    "308": "`experienceMin`",
    "309": "`workday`",
    "311": "`city`",
    "318": "`salaryMin`",
    "319": "`salaryMax`",
    "820": "`employerId`",
}


def error_code(answer: Answer) -> str:
    """InfoJobs' own number of an error, empty where the answer has none."""
    return as_digits(_body(answer).get("error")) or ""


def refusal(answer: Answer, *, has_credentials: bool) -> SourceError:
    """The error behind an answer whose status is not 200; it never holds the credentials."""
    code = error_code(answer)
    if code in REFUSED_PARAMS:
        return BadQuery(
            f"InfoJobs does not accept {REFUSED_PARAMS[code]} of the query: use the keys of its dictionary."
        )
    if code in ("201", "202"):
        return BadQuery("InfoJobs calls a parameter wrong or missing: check the query's params.")
    if code in ("101", "102") or answer.status == 401:
        return Refused(_credentials_sentence(has_credentials))
    if code == "116":
        return Unavailable("InfoJobs has switched this search off for a while (error 116)")
    if code == "1":
        return Unreadable("InfoJobs has no such operation (error 1): check the source's base_url")
    return _outage(answer) or failure(answer)


def _credentials_sentence(has_credentials: bool) -> str:
    if has_credentials:
        return f"InfoJobs does not accept the credentials: check {CREDENTIALS}."
    return f"InfoJobs needs the credentials of an application: set {CREDENTIALS} (docs/sources/infojobs.md says how)."


def _outage(answer: Answer) -> SourceError | None:
    """An internal error with the id that InfoJobs' support asks for."""
    request_id = clean_line(as_text(_body(answer).get("requestId")))[:60]
    if answer.status < 500 or not request_id:
        return None
    return Unavailable(f"InfoJobs is out of order (HTTP {answer.status}, its requestId {request_id})")


def _body(answer: Answer) -> Mapping[str, Any]:
    try:
        return as_mapping(read_json(answer.body))
    except Unreadable:
        return {}
