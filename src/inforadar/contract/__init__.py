"""The contract suite, for sources of this program and of others: `docs/writing-a-source.md` shows how it is used."""

import pytest

pytest.register_assert_rewrite("inforadar.contract.suite", "inforadar.contract.trial")

from inforadar.contract.fake_site import FakeSite  # noqa: E402 - what is rewritten must not be imported before
from inforadar.contract.suite import SourceContract  # noqa: E402
from inforadar.contract.trial import SourceCase, Trial  # noqa: E402

__all__ = ["FakeSite", "SourceCase", "SourceContract", "Trial"]
