"""The answer of a query at any clock value, as `batch.py` has it, by DuckDB: it knows more SQL."""

from __future__ import annotations

from collections import Counter

import duckdb
from oracle.batch import Row, plain_row
from oracle.queries import COLUMNS

TYPES = dict(zip(COLUMNS, ("INT", "VARCHAR", "INT", "BOOLEAN", "BIGINT", "BIGINT"), strict=True))
"""A TIMESTAMP is a number of microseconds since the epoch, as in SQLite."""

MACROS = (
    "clock() AS getvariable('clock')",
    "iif(a, b, c) AS CASE WHEN a THEN b ELSE c END",
    "floor_to(micros, step, phase) AS micros - ((micros - phase) % step + step) % step",
    "from_ms(micros) AS -((-micros) // 1000) * 1000",
    "past_ms(micros) AS (micros // 1000 + 1) * 1000",
)


class DuckBatch:
    """A database whose relations `a`, `b` and `c` are those of `batch.Batch`."""

    def __init__(self, arrived: dict[str, list[tuple[Row, int, int]]], table: list[Row]) -> None:
        self._db = duckdb.connect()
        # As SQLite has it, the former as Spark.
        self._db.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
        self._db.execute("SET integer_division = true")
        self._db.execute("SET VARIABLE clock = 0::BIGINT; SET VARIABLE last_file = 0::BIGINT")
        for macro in MACROS:
            self._db.execute(f"CREATE MACRO {macro}")
        columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
        for name, rows in arrived.items():
            self._db.execute(f"CREATE TABLE all_{name} ({columns}, arrived BIGINT, file BIGINT)")
            self._insert(f"all_{name}", [(*row, *place) for row, *place in rows])
            there = "arrived <= clock() AND file <= getvariable('last_file')"
            names = ", ".join(COLUMNS)
            self._db.execute(f"CREATE VIEW {name} AS SELECT {names} FROM all_{name} WHERE {there}")
        self._db.execute(f"CREATE TABLE c ({columns})")
        self._insert("c", table)

    def _insert(self, name: str, rows: list[Row]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    def answer(self, sql: str, clock: int, last_file: int) -> Counter[Row]:
        """The rows of a query, each in its plain form, and how often they are there.

        Args:
            sql: the query.
            clock: the clock value, in microseconds since the epoch.
            last_file: the number of the last file that is there.
        """
        self._db.execute(f"SET VARIABLE clock = {clock}::BIGINT")
        self._db.execute(f"SET VARIABLE last_file = {last_file}::BIGINT")
        return Counter(plain_row(row) for row in self._db.execute(sql).fetchall())
