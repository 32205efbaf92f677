"""A job of random queries over random rows, and where what comes out is not what should."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from oracle.batch import Row
from oracle.feeds import File
from pyspark.sql import types as t

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def seconds_text(micros: int) -> str:
    """Microseconds as seconds, exactly."""
    whole, rest = divmod(abs(micros), 1_000_000)
    return f"{'-' if micros < 0 else ''}{whole}.{rest:06}"


def local_text(micros: int) -> str:
    """Microseconds as a time without a zone."""
    return (datetime(1970, 1, 1) + timedelta(microseconds=micros)).isoformat()


@dataclass(frozen=True)
class Difference:
    """What is wrong with one query.

    Attributes:
        faults: a line each time that it differs, with the clock.
        wanted: the rows that should stand there in the end, in plain form.
        schema: of these rows.
    """

    faults: list[str]
    wanted: Counter[Row]
    schema: t.StructType

    def snapshot(self) -> list[Row]:
        """The wanted rows as a scenario has them."""
        kinds = [field.dataType for field in self.schema.fields]
        rows = sorted(self.wanted.elements(), key=repr)
        return [tuple(map(_written, row, kinds[: len(row)])) for row in rows]


Compare = Callable[["SparkSession", Path, list[int], list[File]], dict[int, Difference]]


@dataclass(frozen=True)
class Trial:
    """A job.

    Attributes:
        title: what kind it is of, and its seed.
        sources: the declarations of its sources.
        queries: in Spark SQL.
        pairs: how many queries these are, if some are legs of one UNION ALL.
        files: the rows.
        times: the places in a row where there are microseconds since the epoch.
        table: the rows of the static table `c`.
        compare: runs some of the queries over other files; the differences, by the places of
            the queries.
        local: those of the times that have no zone.
    """

    title: str
    sources: str
    queries: list[str]
    pairs: int
    files: list[File]
    times: frozenset[int]
    table: list[Row]
    compare: Compare
    local: frozenset[int] = frozenset()

    def differences(self, spark: SparkSession, folder: Path) -> dict[int, Difference]:
        """Where the job as it is goes wrong."""
        return self.compare(spark, folder, [*range(len(self.queries))], self.files)

    def check(self, spark: SparkSession, folder: Path) -> None:
        """Raise an AssertionError that tells the differences, if there are any."""
        found = [
            "\n".join([f"{self.title}: q{place}: {self.queries[place]}", *each.faults[:4]])
            for place, each in self.differences(spark, folder).items()
        ]
        assert not found, "\n\n".join([self.sources, *map(str, self.files), *found])


def _written(value: object, kind: t.DataType) -> object:
    if isinstance(value, int):
        if isinstance(kind, t.TimestampType):
            return seconds_text(value)
        if isinstance(kind, t.TimestampNTZType):
            return local_text(value)
        return bool(value) if isinstance(kind, t.BooleanType) else value
    return json.loads(value) if isinstance(value, str) and isinstance(kind, t.ArrayType) else value
