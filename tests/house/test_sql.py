"""Every named SQL statement is used, every used name exists, every override overrides something."""

import ast
from importlib.resources import files
from pathlib import Path

from inforadar.store.maintenance import INVARIANTS
from inforadar.store.statements import load_statements, read_folder

SOURCE = Path(__file__).parents[2] / "src" / "inforadar"
SQL = files("inforadar.store") / "sql"
ONE_ROW_AT_A_TIME = {"run", "rows", "row"}
BATCHES = {"many", "many_rows"}


def names_used(methods: set[str]) -> set[str]:
    """Statement names given to these methods of a transaction, anywhere in the program."""
    calls = (
        node
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods
    )
    return {
        call.args[0].value
        for call in calls
        if call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "tx"
        and isinstance(call.args[0].value, str)
    }


def test_every_statement_is_used_and_every_used_statement_exists() -> None:
    assert names_used(ONE_ROW_AT_A_TIME | BATCHES) | INVARIANTS.keys() == set(read_folder(SQL))


def test_every_override_has_a_counterpart() -> None:
    assert set(read_folder(SQL / "postgres")) <= set(read_folder(SQL))


def test_every_batch_has_an_override_that_takes_all_rows_at_once() -> None:
    statements = load_statements("postgres")
    for name in names_used(BATCHES):
        assert "jsonb_to_recordset(%(rows)s)" in statements[name].text({}), name


def test_every_statement_says_what_it_does() -> None:
    for name, text in (read_folder(SQL) | read_folder(SQL / "postgres")).items():
        assert text.startswith("-- "), name
        assert not text.endswith(";"), name


def test_sql_lives_in_sql_files_outside_of_the_drivers() -> None:
    words = ("SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM")
    drivers = {"sqlite.py", "postgres.py", "backup.py"}
    for path in SOURCE.rglob("*.py"):
        if path.name not in drivers:
            text = ast.dump(ast.parse(path.read_text(encoding="utf-8")))
            assert not any(f"Constant(value='{word}" in text for word in words), path
