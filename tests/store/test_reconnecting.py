"""Connections the server has ended while nobody used them."""

import psycopg

from inforadar.store import jobs
from inforadar.store.database import open_database

THROW_OUT = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_a_connection_ended_since_its_last_use_costs_nobody_a_failure(postgres_url: str) -> None:
    database = open_database(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(THROW_OUT)
    with database.transaction() as tx:
        assert jobs.counts(tx) == {}
    database.close()
