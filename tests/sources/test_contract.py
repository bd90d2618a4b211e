"""The contract of every source of this program; the promises themselves are shipped, for sources of others."""

import pytest

from inforadar.contract import SourceContract
from inforadar.store.database import Database
from sources.contract import CASES


class TestContract(SourceContract):
    """Every source, and every way of paging a JSON API."""

    cases = CASES

    @pytest.fixture
    def database(self, sqlite_db: Database) -> Database:
        return sqlite_db
