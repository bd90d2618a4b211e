"""What the REST API shows: lists, details, and that strangers' texts come back as data and secrets not at all."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from inforadar.collect.report import moment
from inforadar.domain.job import NewJob
from inforadar.interfaces.standing import read_standing
from inforadar.interfaces.standing_shape import to_json
from inforadar.interfaces.web.cursor import NoPlace, from_cursor, to_cursor
from inforadar.store import jobs, matches
from interfaces.api_server import CANARIES, TOKEN, Api, furnish, running_api
from interfaces.hostile_texts import HOSTILE
from store.samples_of_rows import LATER, NOW, an_item


def keys(response) -> list[str]:
    assert response.status_code == 200, response.text
    return [item["key"] for item in response.json()["items"]]


def pages(api: Api, **asked: object):
    """Every page of a list, one after another."""
    page = api.get("/api/items", **asked).json()
    yield page["items"]
    while page["next"]:
        page = api.get("/api/items", **asked, before=page["next"]).json()
        yield page["items"]


def test_a_list_narrows_by_every_filter(api_on_both):
    api = api_on_both
    first, second, _ = api.seed(
        an_item("1", title="Старший разработчик"),
        an_item("2", published_at=LATER, data={"hubs": ["sql"]}),
        an_item("3", company="Globex", company_key="g"),
    )
    api.seed(replace(an_item("4"), source="habr", kind="article", data={}), watch="v")
    with api.app.database.transaction() as tx:
        matches.judged(tx, second, score=0.7, reason="close", now=NOW)
    api.post("/api/items/mark", {"ids": [first], "verb": "later"})
    api.post("/api/items/mark", {"ids": [second], "verb": "applied"})
    table = [
        ({}, "2431"),
        ({"watch": "v"}, "4"),
        ({"watch": "nobody"}, ""),
        ({"source": "hh"}, "231"),
        ({"status": "APPLIED"}, "2"),
        ({"status": ["APPLIED", "QUEUED"], "source": "hh"}, "231"),
        ({"topic": "SQL"}, "2"),
        ({"text": "разраб"}, "1"),
        ({"text": "globex"}, "3"),
        ({"min_score": 0.7}, "2"),
        ({"min_score": 0.71}, ""),
        ({"published_after": NOW.isoformat()}, "2"),
        ({"published_after": "2026-01-05T14:30:00+02:00"}, "2"),
        ({"later": "true"}, "1"),
        ({"later": "false"}, "243"),
        ({"limit": 2}, "24"),
    ]
    for asked, expected in table:
        assert "".join(keys(api.get("/api/items", **asked))) == expected, asked


@pytest.mark.parametrize(
    "asked",
    [
        *("limit=0", "limit=501", "limit=x", "status=LOST", "status=applied", "min_score=2", "min_score=nan", "text="),
        *("published_after=2026", "published_after=2026-01-05T12:00:00", "published_after=0", "later=maybe"),
        *(
            "published_after=0001-01-01T00:00:00%2B23:00",
            "before=x",
            "before=",
            "before=MTIz",
            "before=4pyT",
            "wacht=w",
        ),
        *("text=" + "x" * 201, "token=x"),
    ],
)
def test_a_filter_nobody_can_mean_is_told_and_not_ignored(api, asked):
    answer = api.client.get(f"/api/items?{asked}")
    assert answer.status_code == 422
    (mistake,) = answer.json()["errors"]
    assert mistake["where"].startswith(f"query.{asked.partition('=')[0]}")


def test_pages_neither_skip_nor_repeat_while_matches_arrive_change_and_vanish(api_on_both):
    api = api_on_both
    api.seed(*(an_item(str(n), published_at=NOW + timedelta(minutes=n // 3)) for n in range(40)))
    (expected,) = pages(api, limit=50)
    seen: list[int] = []
    for number, page in enumerate(pages(api, limit=7)):
        seen += [item["id"] for item in page]
        api.seed(an_item(f"new {number}", published_at=NOW + timedelta(hours=2, minutes=number)))
        with api.app.database.transaction() as tx:
            if number == 1:  # the very match the next page goes on from
                matches.delete(tx, seen[-1])
    assert seen == [item["id"] for item in expected]
    assert len(seen) == 40


def test_a_cursor_is_a_place_and_nothing_else_is_one():
    for at in (NOW, datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)):
        assert from_cursor(to_cursor(at, 2**63 - 1)) == (at, 2**63 - 1)
    for text in (
        "",
        "x",
        "🦆",
        "MTIz",
        to_cursor(NOW, 2**63),
        to_cursor(NOW, 1) + "A" * 80,
        "OTk5OTk5OTk5OTk5OTk5OTk5LjE",
    ):
        with pytest.raises(NoPlace):
            from_cursor(text)


def test_one_match_is_shown_with_everything_that_happened_to_it(api_on_both):
    furnish(api_on_both.app.database)
    shown = api_on_both.get("/api/items/1").json()
    assert shown["item_id"] == api_on_both.item_id(1)
    assert [(change["field"], change["old"], change["new"]) for change in shown["changes"]] == [
        ("title", "Python", None)
    ]
    assert [(event["from"], event["to"]) for event in shown["events"]] == [(None, "QUEUED")]
    assert [(one["judge"], one["score"], one["skills"]) for one in shown["analyses"]] == [("words", 0.5, ["sql"])]
    assert [(one["sink"], one["state"], one["due_at"]) for one in shown["deliveries"]] == [
        ("telegram", "waiting", moment(NOW))
    ]
    assert api_on_both.get("/api/items/999").status_code == 404


def test_a_list_shows_matches_as_the_command_line_prints_them(api):
    furnish(api.app.database)
    listed = {item["id"]: item for item in api.get("/api/items", limit=500).json()["items"]}
    shown = api.get("/api/items/1").json()
    assert listed[1] == {name: shown[name] for name in listed[1]}
    assert list(listed[1]) == [
        *(
            "id",
            "item_id",
            "watch",
            "source",
            "key",
            "url",
            "title",
            "company",
            "published_at",
            "status",
            "score",
            "reason",
            "also_on",
            "others",
            "data",
        ),
    ]


def test_status_queries_and_sources_are_those_of_radar_status(api):
    furnish(api.app.database)
    expected = json.loads(json.dumps(to_json(read_standing(api.app))))
    assert api.get("/api/status").json() == expected
    assert api.get("/api/queries").json()["queries"] == expected["queries"]
    assert api.get("/api/sources").json()["sources"] == expected["sources"]
    (run,) = api.get("/api/runs").json()["runs"]
    assert (run["status"], run["stop_reason"], run["added"], run["left"]) == ("PARTIAL", "limit reached", 20, 3)
    assert api.get("/api/runs", query_key="q2").json() == {"runs": []}


def test_jobs_are_listed_shown_retried_and_cancelled(api_on_both):
    api = api_on_both
    with api.app.database.transaction() as tx:
        jobs.put(tx, [NewJob(kind="sweep", args={"n": n}, source="hh") for n in range(5)])
        jobs.put(tx, [NewJob(kind="prune", args={})])
    page = api.get("/api/jobs", kind="sweep", limit=3).json()
    rest = api.get("/api/jobs", kind="sweep", limit=3, before=page["next"]).json()
    assert [job["id"] for job in page["jobs"] + rest["jobs"]] == [5, 4, 3, 2, 1]
    assert rest["next"] is None
    assert api.post("/api/jobs/1/cancel").json()["status"] == "failed"
    again = api.post("/api/jobs/1/cancel")
    assert (again.status_code, again.json()["detail"]) == (409, "Job 1 is finished; nothing was changed.")
    retried = api.post("/api/jobs/1/retry").json()
    assert (retried["status"], [(one["who"], one["event"]) for one in retried["history"]]) == (
        "pending",
        [("api", "cancel"), ("api", "retry by hand")],
    )
    assert [api.post(f"/api/jobs/99/{verb}").status_code for verb in ("cancel", "retry")] == [404, 404]
    assert api.get("/api/jobs/1").json() == retried
    assert [job["id"] for job in api.get("/api/jobs", status="pending", source="hh").json()["jobs"]] == [5, 4, 3, 2, 1]


def test_a_job_without_a_sign_of_life_is_stuck(api):
    with api.app.database.transaction() as tx:
        jobs.put(tx, [NewJob(kind="sweep", args={}), NewJob(kind="sweep", args={})])
        then = "'2020-01-01T00:00:00.000000Z'"
        tx.run_text(f"UPDATE jobs SET status = 'running', locked_by = 'x', locked_at = {then}, heartbeat_at = {then}")
        tx.run_text("UPDATE jobs SET heartbeat_at = '2099-01-01T00:00:00.000000Z' WHERE id = 2")
    assert [job["is_stuck"] for job in api.get("/api/jobs").json()["jobs"]] == [False, True]
    assert api.get("/api/jobs/1").json()["is_stuck"]


def test_metrics_are_what_prometheus_reads(api):
    furnish(api.app.database)
    answer = api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'radar_jobs{status="failed"} 1.0' in answer.text


def test_texts_of_strangers_come_back_as_the_data_they_are(api_on_both):
    api = api_on_both
    api.seed(
        *(
            an_item(str(n), title=text, company=text, company_key=f"c{n}", data={"text": text, "list": [text]})
            for n, text in enumerate(HOSTILE)
        )
    )
    found = {item["key"]: item for page in pages(api, limit=50) for item in page}
    assert len(found) == len(HOSTILE) >= 60
    for number, text in enumerate(HOSTILE):
        item = found[str(number)]
        assert [item["title"], item["company"], item["data"]] == [text, text, {"text": text, "list": [text]}]
        answer = api.get("/api/items", text=text[:200])
        assert answer.headers["content-type"] == "application/json"
        assert item in answer.json()["items"] or "İ" in text  # PostgreSQL and Python put it into lower case differently


def test_hostile_texts_in_every_place_of_a_request_do_nothing(api):
    (match_id,) = api.seed_one()
    for text in HOSTILE:
        for name in ("watch", "source", "topic", "text", "status", "before", "limit", "published_after"):
            assert api.client.get("/api/items", params={name: text}).status_code in (200, 422), (name, text)
        assert api.client.get(f"/api/items/{quote(text, safe='')}").status_code in (404, 422)
        assert api.post("/api/items/mark", {"ids": [text], "verb": text}).status_code == 422
    assert api.status(match_id) == "QUEUED"


def test_no_secret_of_the_configuration_is_in_any_answer(api):
    furnish(api.app.database)
    assert set(CANARIES[:4]) <= set(api.app.config.secrets())
    paths = [
        *("/api/items", "/api/items/1", "/api/acts", "/api/queries", "/api/sources", "/api/jobs", "/api/jobs/1"),
        *(
            "/api/why?q=1",
            "/api/runs",
            "/api/status",
            "/metrics",
            "/healthz",
            "/openapi.json",
            "/nope",
            "/api/items?limit=0",
        ),
    ]
    answers = [api.client.get(path) for path in paths]
    answers += [api.client.get(path, headers={"Authorization": b"Bearer x"}) for path in paths]
    told = "\n".join(f"{answer.headers}\n{answer.text}" for answer in answers)
    assert len(told) > 20_000
    assert not any(secret in told for secret in (*CANARIES, TOKEN))


def test_without_its_database_the_server_says_so_and_comes_back(postgres_url):
    name = sql.Identifier(postgres_url.partition("?")[0].rpartition("/")[2])
    server = postgres_url.replace(f"/{name.as_string(None).strip(chr(34))}?", "/postgres?")
    with running_api(postgres_url) as api, psycopg.connect(server, autocommit=True) as admin:
        assert api.get("/healthz").json() == {"status": "ok"}
        admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name._obj[0]])
        for path in ("/healthz", "/metrics", "/api/items"):
            answer = api.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        admin.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))
        assert api.get("/healthz").status_code == 200
