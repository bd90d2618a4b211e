"""The pipeline over each database in turn."""

import pytest

from pipeline.inbox import Inbox


@pytest.fixture
def inbox(db):
    return Inbox(db)
