"""`radar companies`, and the same job wherever an item is shown."""

from datetime import timedelta

import pytest

from inforadar.simulator.server import Simulator
from inforadar.simulator.vocabulary import Company
from interfaces.command_line import NOON, CommandLine

OZON = {"company": Company(id="77", name="ООО «Озон»", slug=None), "title": "Python developer"}
OZON_ABROAD = {"company": Company(id="88", name="Ozon", slug="ozon"), "title": "Python Developer (m/f/d)"}


@pytest.fixture
def filled(radar: CommandLine, simulator: Simulator) -> CommandLine:
    """A user who fetched a job that was posted twice on hh and once on LinkedIn."""
    world = simulator.internet.world
    first = world.add("hh", published_at=NOON - timedelta(hours=3), experience="noExperience", **OZON)
    world.add("hh", published_at=NOON - timedelta(hours=1), experience="noExperience", place=first.place, **OZON)
    world.add("linkedin", published_at=NOON - timedelta(hours=2), place=first.place, **OZON_ABROAD)
    assert radar("fetch").code == 0
    return radar


def the_job(radar: CommandLine) -> dict:
    """The latest posting, as JSON shows it."""
    return next(one for one in radar("items", "--json", "--text", "озон").json if one["source"] == "hh")


def test_companies_are_counted_by_a_fetch_and_shown_as_one_however_they_are_spelled(filled):
    (ozon,) = filled("companies", "озон", "--json").json
    assert (ozon["offers_seen"], ozon["offers_open"], ozon["reposts"]) == (3, 3, 1)
    assert [(one["source"], one["offers_seen"]) for one in ozon["sources"]] == [("hh", 2), ("linkedin", 1)]
    assert ozon["first_seen_at"] <= ozon["last_seen_at"]
    shown = filled("companies", "озон").out.splitlines()
    assert shown[0].split() == ["COMPANY", "OPEN", "SEEN", "REPOSTS", "FIRST", "LAST", "SOURCES"]
    assert "ООО «Озон»" in shown[1]
    assert "hh, linkedin" in shown[1]


def test_companies_are_listed_with_most_open_vacancies_first_and_at_most_as_many_as_asked_for(filled):
    found = filled("companies", "--json", "--limit", "500").json
    opens = [one["offers_open"] for one in found]
    assert opens == sorted(opens, reverse=True)
    assert len(found) > 2
    assert filled("companies", "--json", "--limit", "2").json == found[:2]


def test_a_name_that_nobody_has_and_an_empty_store_are_told(radar):
    empty = radar("companies")
    assert (empty.code, empty.out) == (0, "")
    assert "radar fetch" in empty.err
    assert radar("companies", "--json").json == []
    radar("fetch", "--source", "hh")
    assert "No company" in radar("companies", "no such company").err


def test_the_run_says_how_many_companies_were_counted(filled):
    told = filled("why", str(the_job(filled)["id"]), "--json").json
    assert told["matches"][0]["found_by"]["companies_aggregated"] > 0
    assert told["matches"][0]["found_by"]["companies_failed"] == 0


def test_items_show_and_why_say_where_else_the_job_is(filled):
    job = the_job(filled)
    assert sorted(one["source"] for one in job["also_on"]) == ["hh", "linkedin"]
    assert all(one["url"] and one["match_id"] for one in job["also_on"])
    table = filled("items", "--text", "озон").out
    assert "ALSO ON" in table
    assert "hh again, linkedin" in table
    shown, why = filled("show", str(job["id"])), filled("why", str(job["id"]))
    for other in job["also_on"]:
        assert f"Also on {other['source']}  {other['url']} (match {other['match_id']}" in shown.out
        assert f"also on     {other['source']}  {other['url']}" in why.out
    assert filled("show", str(job["id"]), "--json").json["also_on"] == job["also_on"]
    assert filled("why", str(job["id"]), "--json").json["matches"][0]["also_on"] == job["also_on"]


def test_a_table_without_such_jobs_has_no_column_for_them(radar):
    radar("fetch", "--source", "habr")
    assert "ALSO ON" not in radar("items").out
