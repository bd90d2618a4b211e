"""Company boards as six applicant systems write them: saved answers, odd answers, requests, parameters."""

import json
from datetime import UTC, datetime

import pytest

from inforadar.domain.errors import BadQuery, RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer
from inforadar.net.urls import request_url
from inforadar.sources.ashby import Ashby
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.lever import Lever
from inforadar.sources.recruitee import Recruitee
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.sources.workable import Workable

SYSTEMS = {
    "greenhouse": (Greenhouse, "greenhouse_gitlab"),
    "lever": (Lever, "lever_matchgroup"),
    "ashby": (Ashby, "ashby_linear"),
    "smartrecruiters": (SmartRecruiters, "smartrecruiters_workscrapper"),
    "workable": (Workable, "workable_workscrapper"),
    "recruitee": (Recruitee, "recruitee_workscrapper"),
}
TOP = Position(size=100)


@pytest.fixture(params=SYSTEMS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def source(name):
    make, _ = SYSTEMS[name]
    return make().serving({"board": "acme"}, {})


def answer(body, status=200, url="https://board.test/"):
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Answer(status=status, headers={}, body=encoded, url=url)


def saved(samples, name):
    return answer((samples / "jobboards" / "ats" / f"{SYSTEMS[name][1]}.json").read_bytes())


def first(samples, name):
    make, _ = SYSTEMS[name]
    return make().serving({"board": "acme"}, {}).read(saved(samples, name), TOP).drafts[0]


def test_every_opening_of_a_saved_board_is_read(samples, name, source):
    page = source.read(saved(samples, name), TOP)
    assert (page.unreadable, page.undated, page.is_last) == (0, 0, True)
    assert len(page.drafts) == {"greenhouse": 2, "lever": 2, "ashby": 2}.get(name, 3)
    for draft in page.drafts:
        assert draft.key.startswith("acme/")
        assert draft.is_dated
        assert draft.url.startswith("https://")
        assert draft.title
        assert draft.company
        assert draft.data["place"]


def test_a_greenhouse_job_with_its_escaped_text(samples):
    draft = first(samples, "greenhouse")
    assert draft.rank == datetime(2026, 4, 17, 9, 58, 3, tzinfo=UTC)
    assert (draft.title, draft.company) == ("Account Executive - Italy", "GitLab")
    assert draft.url == "https://job-boards.greenhouse.io/gitlab/jobs/8503792002"
    assert draft.data["department"] == "EMEA - Commercial"
    assert draft.data["remote"] is True
    assert "&lt;" not in draft.data["full_text"]
    assert "<" not in draft.data["full_text"]


def test_a_lever_posting_with_its_pay(samples):
    draft = first(samples, "lever")
    assert draft.rank == datetime(2026, 5, 19, 20, 38, 11, 267000, tzinfo=UTC)
    assert draft.data["salary"] == {"from": 150000, "to": 180000, "currency": "USD", "mode": "YEAR"}
    assert (draft.data["team"], draft.data["work_format"], draft.data["remote"]) == ("Engineering", ["HYBRID"], False)
    text = draft.data["full_text"]
    assert text.index("designed to be deleted") < text.index("Responsibilities") < text.index("401(k)")


def test_an_ashby_job(samples):
    draft = first(samples, "ashby")
    assert draft.rank == datetime(2021, 4, 27, 20, 13, 45, 158000, tzinfo=UTC)
    assert (draft.data["place"], draft.data["remote"], draft.data["team"]) == ("Europe", True, "Engineering")


def test_ashby_pay_and_unlisted_jobs():
    wage = {"compensationType": "Salary", "interval": "1 YEAR", "currencyCode": "EUR", "minValue": 7, "maxValue": 9}
    job = {
        "id": "a",
        "title": "t",
        "publishedAt": "2026-01-01T00:00:00Z",
        "compensation": {"summaryComponents": [wage]},
    }
    page = Ashby().serving({"board": "x"}, {}).read(answer({"jobs": [job, {**job, "id": "b", "isListed": False}]}), TOP)
    assert [draft.key for draft in page.drafts] == ["x/a"]
    assert page.drafts[0].data["salary"] == {"from": 7, "to": 9, "currency": "EUR", "mode": "YEAR"}


def test_dates_of_their_own_kind(samples):
    assert first(samples, "recruitee").rank == datetime(2026, 7, 17, 11, 0, 39, tzinfo=UTC)
    assert first(samples, "workable").rank == datetime(2026, 7, 14, tzinfo=UTC)
    assert first(samples, "smartrecruiters").rank == datetime(2026, 8, 5, 11, 45, 6, 679000, tzinfo=UTC)


def test_companies_and_addresses_that_the_entries_tell(samples):
    assert first(samples, "recruitee").company == "Espeo Software"
    assert first(samples, "workable").company == "Netguru"
    draft = first(samples, "smartrecruiters")
    assert (draft.company, draft.url) == ("Tieto", "https://jobs.smartrecruiters.com/Tieto2/744000141699866")


def test_an_opening_without_a_date_is_kept(source, name):
    entry = {"id": "7", "shortcode": "7", "title": "T", "text": "T", "name": "T"}
    bodies = {
        "lever": [entry],
        "smartrecruiters": {"content": [entry], "totalFound": 1},
        "recruitee": {"offers": [entry]},
    }
    (draft,) = source.read(answer(bodies.get(name, {"jobs": [entry]})), TOP).drafts
    assert (draft.key, draft.title, draft.is_dated) == ("acme/7", "T", False)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"null", b"3", b'{"jobs": {}}', b'{"content": []}'])
def test_what_is_no_board_is_unreadable(source, body):
    with pytest.raises(Unreadable):
        source.read(answer(body), TOP)


@pytest.mark.parametrize(
    ("status", "error"), [(404, BadQuery), (403, Refused), (429, RateLimited), (500, Unavailable), (302, Unreadable)]
)
def test_a_status_is_its_error(source, status, error):
    with pytest.raises(error):
        source.read(answer(b"{}", status), TOP)


@pytest.mark.parametrize("status", [403, 429, 500])
def test_a_refusal_says_nothing_about_an_opening(source, status):
    with pytest.raises((Refused, RateLimited, Unavailable)):
        source.read_detail(answer(b"{}", status))


def test_an_answer_that_lost_its_question_gives_no_verdict():
    for make in (Ashby, Workable, Recruitee):
        body = {"jobs": [{"id": "1"}], "offers": [{"id": 1}]}
        assert make().read_detail(answer(body)).availability == "no verdict"
        empty = answer({"jobs": [], "offers": []}, url="https://board.test/?posting=1")
        assert make().read_detail(empty).availability == "no verdict"


def test_a_smartrecruiters_posting_that_is_not_active_is_closed():
    detail = SmartRecruiters().read_detail(answer({"id": "1", "name": "x", "active": False}))
    assert (detail.availability, detail.is_closed) == ("gone", True)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("greenhouse", "https://boards-api.greenhouse.io/v1/boards/acme/jobs?content=true"),
        ("lever", "https://api.lever.co/v0/postings/acme?mode=json"),
        ("ashby", "https://api.ashbyhq.com/posting-api/job-board/acme?includeCompensation=true"),
        ("smartrecruiters", "https://api.smartrecruiters.com/v1/companies/acme/postings?limit=100&offset=0"),
        ("workable", "https://apply.workable.com/api/v1/widget/accounts/acme?details=true"),
        ("recruitee", "https://acme.recruitee.com/api/offers/"),
    ],
)
def test_the_address_a_board_is_asked_at(source, address):
    assert str(request_url(source.default_base_url, source.request({"board": "acme"}, TOP))) == address


def test_under_a_base_url_of_the_users_recruitee_is_asked_there():
    request = Recruitee(base_url="http://127.0.0.1:1/recruitee").request({"board": "acme"}, TOP)
    assert (request.path, request.url) == ("/acme/api/offers/", None)


def test_parameters_that_are_fine(source):
    told = {"board": "acme-2", "department": "Sales", "location": ["Madrid", "remote"], "text": "python backend"}
    assert source.check(told) == ()


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({}, "missing"),
        ({"board": ""}, "missing"),
        ({"board": 7}, "missing"),
        ({"board": "https://boards.greenhouse.io/acme"}, "address"),
        ({"board": "../etc"}, "address"),
        ({"board": "acme", "departmnt": "x"}, "did you mean `department`"),
    ],
)
def test_parameters_that_are_wrong_are_told_in_a_sentence(source, params, word):
    (sentence,) = source.check(params)
    assert word in sentence


def test_recruitee_takes_no_board_that_could_be_another_host():
    assert Recruitee().check({"board": "acme.evil"})


@pytest.mark.parametrize(
    ("params", "is_wanted"),
    [
        ({}, True),
        ({"department": "commercial"}, True),
        ({"department": ["legal", "EMEA"]}, True),
        ({"department": "legal"}, False),
        ({"location": "italy"}, True),
        ({"location": "remote"}, True),
        ({"location": "spain"}, False),
        ({"text": "account EXECUTIVE"}, True),
        ({"text": "account plumber"}, False),
        ({"text": ["plumber", "DevSecOps"]}, True),
        ({"text": "exec"}, False),
        ({"department": "commercial", "location": "spain"}, False),
    ],
)
def test_filters_of_ours(samples, params, is_wanted):
    source = Greenhouse().serving({"board": "gitlab", **params}, {})
    draft = source.read(saved(samples, "greenhouse"), TOP).drafts[0]
    assert source.wants(draft) is is_wanted
