"""The calls of Sheets v4 by name: what each does to the spreadsheet, and what it answers."""

from collections.abc import Callable, Mapping
from typing import Any

from inforadar.simulator.sheets.book import Book, Tab
from inforadar.simulator.sheets.problems import Json, invalid
from inforadar.simulator.sheets.ranges import Area, read_range, write_range
from inforadar.simulator.wire import Pairs, every, first

OPTIONS = ("RAW", "USER_ENTERED")


def get(book: Book, _params: Pairs, _body: Json) -> Json:
    """The spreadsheet without its cells."""
    return {
        "spreadsheetId": book.id,
        "properties": {"title": "Info Radar", "locale": "en_US", "autoRecalc": "ON_CHANGE", "timeZone": "Etc/GMT"},
        "sheets": [{"properties": _properties(tab, index)} for index, tab in enumerate(book.tabs)],
        "spreadsheetUrl": f"https://docs.google.com/spreadsheets/d/{book.id}/edit",
    }


def batch_get(book: Book, params: Pairs, _body: Json) -> Json:
    """The cells of some ranges."""
    ranges = every(params, "ranges")
    dimension = first(params, "majorDimension", "ROWS")
    return {"spreadsheetId": book.id, "valueRanges": [_value_range(book, text, dimension) for text in ranges]}


def values_batch_update(book: Book, _params: Pairs, body: Json) -> Json:
    """Write some ranges, all or none."""
    option = body.get("valueInputOption")
    if option not in OPTIONS:
        raise invalid("'valueInputOption' is required but not specified")
    kept = [(tab, dict(tab.cells)) for tab in book.tabs]
    try:
        written = [_written(book, one, option) for one in body.get("data", [])]
    except Exception:
        for tab, cells in kept:
            tab.cells = cells
        raise
    return {
        "spreadsheetId": book.id,
        "totalUpdatedRows": sum(one["updatedRows"] for one in written),
        "totalUpdatedColumns": max((one["updatedColumns"] for one in written), default=0),
        "totalUpdatedCells": sum(one["updatedCells"] for one in written),
        "totalUpdatedSheets": len({one["updatedRange"].partition("!")[0] for one in written}),
        "responses": written,
    }


def batch_update(book: Book, _params: Pairs, body: Json) -> Json:
    """Change the spreadsheet itself: new tabs, more rows and columns."""
    return {"spreadsheetId": book.id, "replies": [_changed(book, one) for one in body.get("requests", [])]}


def _value_range(book: Book, text: str, dimension: str) -> Json:
    area = read_range(text)
    tab = book.tab(area.tab)
    bounded = tab.bounded(area)
    told: Json = {"range": write_range(bounded), "majorDimension": dimension}
    lines = tab.lines(bounded, by_columns=dimension == "COLUMNS")
    return {**told, "values": lines} if lines else told


def _written(book: Book, told: Json, option: str) -> Json:
    area = read_range(told["range"])
    values = told["values"]
    if told.get("majorDimension", "ROWS") != "ROWS":
        raise invalid("Only rows are written here")
    written = book.tab(area.tab).fill(area, values, option)
    return {"spreadsheetId": book.id, "updatedRange": write_range(written), **_sizes(written, values)}


def _sizes(area: Area, values: list[list[Any]]) -> Json:
    return {
        "updatedRows": len(values),
        "updatedColumns": (area.right or area.left) - area.left + 1,
        "updatedCells": sum(value is not None for line in values for value in line),
    }


def _changed(book: Book, request: Json) -> Json:
    ((name, told),) = request.items()
    if name == "addSheet":
        asked = told["properties"]
        grid = asked.get("gridProperties", {})
        tab = book.add(asked["title"], grid.get("rowCount", 1000), grid.get("columnCount", 26))
        return {"addSheet": {"properties": _properties(tab, len(book.tabs) - 1)}}
    if name == "appendDimension":
        tab = book.tab_by_id(told.get("sheetId", 0))
        book.grow(tab, **{told["dimension"].lower(): told["length"]})
        return {}
    raise invalid(f"Invalid requests[0]: No request set ({name})")


def _properties(tab: Tab, index: int) -> Json:
    grid = {"rowCount": tab.rows, "columnCount": tab.columns}
    return {"sheetId": tab.id, "title": tab.title, "index": index, "sheetType": "GRID", "gridProperties": grid}


READS: Mapping[str, Callable[[Book, Pairs, Json], Json]] = {"get": get, "values.batchGet": batch_get}
WRITES: Mapping[str, Callable[[Book, Pairs, Json], Json]] = {
    "values.batchUpdate": values_batch_update,
    "batchUpdate": batch_update,
}
