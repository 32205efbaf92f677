"""A job that reads Parquet files as they come, and its result whenever it is at rest."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.parquet as pq

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

Row = tuple[Any, ...]

TOLERANCE = 2e-6
"""By what numbers with a fraction may differ: Spark rounds a quotient of decimals to six digits."""


class LiveJob:
    """A running job of one output.

    Args:
        spark: a session.
        folder: has a folder of files for each source.
        text: the job.

    Attributes:
        result: what the updates so far add up to.
    """

    def __init__(self, spark: SparkSession, folder: Path, text: str) -> None:
        self.result: Counter[Row] = Counter()
        self._folder = folder
        self._files: Counter[str] = Counter()
        spec = load_job(text, folder / "job.py").JOB
        job = tvfc_runtime.Job(spark, str(folder / "checkpoint"), sessions=spec.sessions)
        writers = {"console": self._collect}
        self._query: StreamingQuery = tvfc_runtime.start(job, spec, spec.outputs, writers)

    def _collect(self, frame: DataFrame, _batch: int) -> None:
        changes = frame.columns[-2:] == ["_time", "_diff"]
        for row in frame.collect():
            self.result[tuple(row[:-2] if changes else row)] += row[-1] if changes else 1

    def arrive(self, rows: Mapping[str, pa.Table]) -> None:
        """Let rows arrive, a file for each source, and wait until nothing more comes of them."""
        for name, table in rows.items():
            self._files[name] += 1
            hidden = self._folder / name / f".{self._files[name]}"
            pq.write_table(table, hidden)
            hidden.rename(hidden.with_name(f"{self._files[name]:03}.parquet"))
        self._query.processAllAvailable()
        while not self._has_read_all():
            self._query.processAllAvailable()
        # Where there is a clock, batches without data follow.
        self._query.processAllAvailable()

    def _has_read_all(self) -> bool:
        """Each of the sources that the job reads has had a batch for each of its files."""
        progress = self._query.lastProgress
        sources = [] if progress is None else progress["sources"]
        of_files = [each for each in sources if each["description"].startswith("FileStreamSource")]
        named = map(_name_and_batches, of_files)
        read = [self._files[name] == batches for name, batches in named if name in self._files]
        return bool(read) and all(read)

    def stop(self) -> None:
        """Stop it."""
        self._query.stop()


def _name_and_batches(source: Mapping[str, Any]) -> tuple[str, int]:
    """The folder that Spark reads, and how many batches of files it has taken from there."""
    offset = json.loads(source["endOffset"] or "null")
    name = source["description"].rpartition("/")[2].rstrip("]")
    return name, offset["logOffset"] + 1 if offset else 0


@contextmanager
def live(
    spark: SparkSession, folder: Path, script: str, sources: Iterable[str]
) -> Iterator[LiveJob]:
    """A job; of each source its script says `OPTIONS (path 'FOLDER/name')`."""
    for name in sources:
        (folder / name).mkdir(parents=True)
    text = compile_script(SourceText("live.sql", script.replace("FOLDER", str(folder)))).text
    job = LiveJob(spark, folder, text)
    try:
        yield job
    finally:
        job.stop()


class Parts(NamedTuple):
    """A row: what must be equal, in the place of fractions None, and the fractions."""

    exact: list[Any]
    fractions: list[float]


def fault(wanted: Iterable[Row], found: Counter[Row]) -> str | None:
    """How a result differs from the rows that it should have, or None if it does not."""
    right, rows = (sorted(map(_parts, each), key=repr) for each in (wanted, found.elements()))
    negative = [row for row, number in found.items() if number < 0]
    if not negative and len(rows) == len(right) and all(map(_alike, right, rows)):
        return None
    missing = [each for each in right if not any(_alike(each, other) for other in rows)]
    extra = [each for each in rows if not any(_alike(each, other) for other in right)]
    return (
        f"{len(right)} rows wanted, {len(rows)} found; missing {missing[:3]}, "
        f"unexpected {extra[:3]}, taken away too often {negative[:3]}"
    )


def _parts(row: Row) -> Parts:
    is_fraction = [isinstance(each, float | Decimal) for each in row]
    pairs = [*zip(row, is_fraction, strict=True)]
    return Parts(
        [None if fraction else _without_zone(each) for each, fraction in pairs],
        [float(each) for each, fraction in pairs if fraction],
    )


def _without_zone(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _alike(one: Parts, other: Parts) -> bool:
    return one.exact == other.exact and all(
        math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        for left, right in zip(one.fractions, other.fractions, strict=True)
    )
