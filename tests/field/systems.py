"""Tables that a job writes to, each system in one way: its OPTIONS, and what a reader finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import adbc_driver_postgresql.dbapi as postgres_driver
import duckdb
import pyarrow as pa
from deltalake import DeltaTable
from pyiceberg.catalog import load_catalog

SYSTEMS = ("postgres", "delta", "iceberg", "duckdb")


@dataclass(frozen=True)
class System:
    """A system in a folder of the test's own.

    Attributes:
        format: what USING says.
        options: OPTIONS of a table, by its name.
        read: all rows of a table, by its name.
    """

    format: str
    options: Callable[[str], dict[str, str]]
    read: Callable[[str], pa.Table]

    def using(self, table: str, **more: str) -> str:
        """USING … OPTIONS (…) of a table."""
        given = {**self.options(table), **more}
        listed = ", ".join(f"`{name}` '{value}'" for name, value in given.items())
        return f"USING {self.format} OPTIONS ({listed})"

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """What `read` finds, in an order that is always the same."""
        found = self.read(table).to_pylist()
        return sorted((tuple(row.values()) for row in found), key=repr)


def postgres_system(url: str, folder: Path) -> System:
    """Tables of a database, whose names begin with a number of the folder: all tests have it."""
    of = f"{crc32(str(folder).encode()):08x} "

    def read(table: str) -> pa.Table:
        with postgres_driver.connect(url) as database, database.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{of}{table}"')
            return cursor.fetch_arrow_table()

    return System("postgres", lambda table: {"url": url, "table": f'"{of}{table}"'}, read)


def delta_system(folder: Path) -> System:
    """Tables in a folder."""
    return System(
        "delta",
        lambda table: {"path": str(folder / table)},
        lambda table: DeltaTable(folder / table).to_pyarrow_table(),
    )


def iceberg_system(folder: Path) -> System:
    """Tables of a catalog in an SQLite file."""
    settings = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": str(folder)}

    def options(table: str) -> dict[str, str]:
        given = {f"catalog.{name}": value for name, value in settings.items()}
        return {"table": f"lake.{table}", **given}

    def read(table: str) -> pa.Table:
        return load_catalog("default", **settings).load_table(("lake", table)).scan().to_arrow()

    return System("iceberg", options, read)


def duckdb_system(folder: Path) -> System:
    """Tables of a file."""
    path = folder / "tables.duckdb"

    def read(table: str) -> pa.Table:
        with duckdb.connect(path, read_only=True) as database:
            return database.sql(f'FROM "{table}"').to_arrow_table()

    return System("duckdb", lambda table: {"path": str(path), "table": table}, read)


def system(name: str, folder: Path, url: str) -> System:
    """A system by its name."""
    match name:
        case "postgres":
            return postgres_system(url, folder)
        case "iceberg":
            return iceberg_system(folder)
        case "duckdb":
            return duckdb_system(folder)
        case "delta":
            return delta_system(folder)
        case _:
            raise ValueError(name)
