"""The answer of a query at any clock value: SQLite over the rows that have arrived by then."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from oracle.queries import COLUMNS

Row = tuple[Any, ...]


class Batch:
    """A database whose relations `a` and `b` hold what has arrived by the clock.

    Args:
        arrived: by relation, the rows, the clock value at which each has come, in microseconds
            since the epoch, and the number of its file.
        table: the rows of the static table `c`.
    """

    def __init__(self, arrived: dict[str, list[tuple[Row, int, int]]], table: list[Row]) -> None:
        self._clock = self._file = 0
        self._db = sqlite3.connect(":memory:")
        self._db.create_function("clock", 0, lambda: self._clock)
        self._db.create_function("last_file", 0, lambda: self._file)
        self._db.create_function("greatest", 2, lambda *each: _of_known(max, each))
        self._db.create_function("least", 2, lambda *each: _of_known(min, each))
        for name, number, function in TIMES:
            self._db.create_function(name, number, function, deterministic=True)
        for name, arguments, of in AGGREGATES:
            self._db.create_aggregate(name, arguments, _aggregate(of))
        names = ", ".join(COLUMNS)
        for name, rows in arrived.items():
            self._db.execute(f"CREATE TABLE all_{name} ({names}, arrived, file)")
            marks = ", ".join("?" * (len(COLUMNS) + 2))
            self._db.executemany(
                f"INSERT INTO all_{name} VALUES ({marks})", [(*row, *place) for row, *place in rows]
            )
            there = "arrived <= clock() AND file <= last_file()"
            self._db.execute(f"CREATE VIEW {name} AS SELECT {names} FROM all_{name} WHERE {there}")
        self._db.execute(f"CREATE TABLE c ({names})")
        self._db.executemany(f"INSERT INTO c VALUES ({', '.join('?' * len(COLUMNS))})", table)

    def answer(self, sql: str, clock: int, last_file: int) -> Counter[Row]:
        """The rows of a query, each in its plain form, and how often they are there.

        Args:
            sql: the query.
            clock: the clock value, in microseconds since the epoch.
            last_file: the number of the last file that is there.
        """
        self._clock, self._file = clock, last_file
        return Counter(plain_row(row) for row in self._db.execute(sql))


def _of_known(choose: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    known = [each for each in values if each is not None]
    return choose(known) if known else None


def plain_row(row: Iterable[Any]) -> Row:
    """A row in a form that is the same whether Spark or SQLite has made it."""
    return tuple(map(_plain, row))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return json.dumps(sorted(map(_plain, value)))
    if isinstance(value, float | Decimal):
        return round(float(value), 9) if value == value else "NaN"
    return int(value) if isinstance(value, bool) else value


def _aggregate(of: Callable[..., Any]) -> type:
    class Gathered:
        """All arguments, then a function of them."""

        def __init__(self) -> None:
            self._rows: list[Row] = []

        def step(self, *values: Any) -> None:
            self._rows.append(values)

        def finalize(self) -> Any:
            return of(self._rows)

    return Gathered


def _values(rows: list[Row]) -> list[Any]:
    return [value for (value,) in rows if value is not None]


def _variance(rows: list[Row], freedom: int) -> float | None:
    values: list[float] = _values(rows)
    if len(values) <= freedom:
        return None
    mean = sum(values) / len(values)
    return float(sum((each - mean) ** 2 for each in values) / (len(values) - freedom))


def _stddev(rows: list[Row]) -> float | None:
    variance = _variance(rows, 1)
    return None if variance is None else math.sqrt(variance)


def _bool(rows: list[Row], choose: Callable[..., Any]) -> Any:
    values = _values(rows)
    return choose(values) if values else None


def _by(rows: list[Row], choose: Callable[..., Any]) -> Any:
    known = [(by, value) for value, by in rows if by is not None]
    return choose(known, key=lambda pair: pair[0])[1] if known else None


def _floor_to(micros: int | None, step: int, phase: int) -> int | None:
    return None if micros is None else micros - (micros - phase) % step


def _from_ms(micros: int | None) -> int | None:
    return None if micros is None else -(-micros // 1000) * 1000


def _past_ms(micros: int | None) -> int | None:
    return None if micros is None else (micros // 1000 + 1) * 1000


TIMES: tuple[tuple[str, int, Callable[..., Any]], ...] = (
    ("floor_to", 3, _floor_to),
    ("from_ms", 1, _from_ms),
    ("past_ms", 1, _past_ms),
)
"""The last moment of a grid until a time; the first clock value that has reached one, or passed it.
"""

AGGREGATES: tuple[tuple[str, int, Callable[[list[Row]], Any]], ...] = (
    ("stddev", 1, _stddev),
    ("var_pop", 1, lambda rows: _variance(rows, 0)),
    ("collect_list", 1, lambda rows: json.dumps(sorted(_values(rows)))),
    ("collect_set", 1, lambda rows: json.dumps(sorted(set(_values(rows))))),
    ("bool_and", 1, lambda rows: _bool(rows, min)),
    ("bool_or", 1, lambda rows: _bool(rows, max)),
    ("count_if", 1, lambda rows: sum(map(bool, _values(rows)))),
    ("max_by", 2, lambda rows: _by(rows, max)),
    ("min_by", 2, lambda rows: _by(rows, min)),
)
