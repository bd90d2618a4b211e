"""Reads the section of the spreadsheet: which names in it may not be the same."""

from collections.abc import Mapping
from typing import Any

from inforadar.config.model import SheetsSettings
from inforadar.config.reading import IfMissing, Reading
from inforadar.config.schema import SHEETS
from inforadar.domain.folding import views
from inforadar.domain.sheet_columns import OFFER_COLUMNS

USER_COLUMNS = ("feedback_column", "note_column")
TABS = ("offers_sheet", "companies_sheet")


def read_sheets(reading: Reading, raw: Mapping[str, Any], sinks: set[str]) -> SheetsSettings | None:
    """The table `sheets`; None where there is none."""
    if "sheets" not in raw:
        return None
    values = reading.section(raw, SHEETS, ("sheets",))
    if_missing: IfMissing = "warning" if "sheets" in sinks else "nothing"
    credentials = reading.resolve(values.pop("credentials"), ("sheets", "credentials"), if_missing=if_missing)
    _check_names(reading, values)
    return SheetsSettings(credentials=credentials, **values)


def _check_names(reading: Reading, values: Mapping[str, Any]) -> None:
    """Tabs and columns are known by their names, whatever their case: each needs one of its own."""
    ours = {_folded(name): name for name in OFFER_COLUMNS}
    for name in (*TABS, *USER_COLUMNS):
        if not values[name].strip():
            reading.complain(("sheets", name), "is empty", f"Leave it out, or write {name} = " + '"..."')
    for name in USER_COLUMNS:
        taken = ours.get(_folded(values[name]))
        if taken:
            problem = f"radar writes a column of its own that is called {taken!r}"
            reading.complain(("sheets", name), problem, "Choose another name for the column that is yours")
    for first, second, what in ((*USER_COLUMNS, "column"), (*TABS, "tab")):
        if _folded(values[first]) == _folded(values[second]) != "":
            problem = f"is the same {what} as {first}"
            reading.complain(("sheets", second), problem, f"Give each of the two a {what} of its own")


def _folded(text: str) -> str:
    return views(text.strip())[0]
