"""Tables of SQLite and DuckDB take each other's names."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from comparing.places import STATEMENTS, Both, check_exchange

from commands.comparing.exchange import exchange
from commands.comparing.sinks import CompareError

if TYPE_CHECKING:
    from collections.abc import Callable


def sqlite_runs(path: Path) -> Callable[[str], None]:
    def run(statement: str) -> None:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(statement)

    return run


def duckdb_runs(path: Path) -> Callable[[str], None]:
    def run(statement: str) -> None:
        with duckdb.connect(path) as database:
            database.execute(statement)

    return run


RUNS = {"sqlite": sqlite_runs, "duckdb": duckdb_runs}


@pytest.mark.parametrize("form", RUNS)
def test_tables_are_exchanged(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a database"
    run = RUNS[form](path)
    for statement in STATEMENTS:
        run(statement)
    tables = [
        Both.of(tmp_path, form, {"path": str(path)}, *names)
        for names in (("live", "live green"), ("live green", "live"))
    ]
    both = tables[0]
    check_exchange(both, tables[1], run)
    run("DROP TABLE live")
    with pytest.raises(CompareError):
        exchange([(both.blue, both.green)])
