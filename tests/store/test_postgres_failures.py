"""What a person sees when PostgreSQL does not answer, and how the store gets over it."""

import traceback

import psycopg
import pytest

from inforadar.domain.errors import ConfigError, StoreError
from inforadar.store import items
from inforadar.store.database import open_database
from store.samples_of_rows import an_item

NOBODY_LISTENS = "postgresql://ann:s3cr%40t@127.0.0.1:1/radar"


def break_in_the_middle(url: str) -> None:
    """A transaction whose connection the server ends before the commit."""
    db = open_database(url)
    try:
        with db.transaction() as tx:
            items.insert(tx, [an_item("1")])
            with psycopg.connect(url, autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            items.insert(tx, [an_item("2")])
    finally:
        with db.reading() as tx:
            assert items.count(tx) == 0
        db.close()


def test_a_broken_connection_is_replaced_and_the_transaction_undone(postgres_url: str) -> None:
    with pytest.raises(StoreError, match="connection to postgresql://"):
        break_in_the_middle(postgres_url)


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(StoreError) as caught:
        open_database(NOBODY_LISTENS)
    told = "".join(traceback.format_exception(caught.value))
    assert "ann@127.0.0.1:1/radar" in str(caught.value)
    assert "Check that the server runs" in str(caught.value)
    assert "\n" not in str(caught.value), "a sentence is one line, whatever the library says"
    assert "s3cr" not in told


@pytest.mark.parametrize("url", ["postgresql://ann:s3cret@host:port:port/x?y", "postgresql://ann:s3cret@[::1/db"])
def test_a_wrong_url_does_not_show_its_password(url: str) -> None:
    with pytest.raises((ConfigError, StoreError)) as caught:
        open_database(url)
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


def test_a_question_that_takes_too_long_is_ended_and_named(postgres_url: str) -> None:
    database = open_database(postgres_url)
    with database.transaction() as tx:
        assert tx._connection.rows("SHOW statement_timeout", {}) == [{"statement_timeout": "5min"}]
    with pytest.raises(StoreError, match="took too long"), database.transaction() as tx:
        tx.run_text("SET LOCAL statement_timeout = '20ms'; SELECT pg_sleep(5)")
    database.close()
