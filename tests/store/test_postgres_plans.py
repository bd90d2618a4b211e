"""PostgreSQL's plans keep up with tables that grow while we are connected."""

from inforadar.store import matches
from inforadar.store.database import Tx
from inforadar.store.postgres import PostgresDriver

KEPT = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%%tombstones%%'"


def test_a_plan_made_while_the_tables_were_empty_is_not_kept(postgres_url: str) -> None:
    connection = PostgresDriver(postgres_url).connect()
    for _ in range(12):
        matches.known(Tx(connection, "postgres"), "python", "hh", ["1", "2"])
    (plans,) = connection.rows(KEPT, {})
    connection.close()
    assert plans["custom_plans"] > 5
    assert plans["generic_plans"] == 0
