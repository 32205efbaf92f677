"""Nexmark: whenever a job is at rest, its result is DuckDB's answer over the events on time."""

from __future__ import annotations

import re
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from nexmark.events import COLUMNS, House, Row, Story
from oracle.live import fault, live

from compiler import compile_script
from compiler.source import SourceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIDE_INPUT = "key BIGINT, value STRING"
DECLARED = (
    "".join(
        f"CREATE SOURCE {name} ({columns},"
        " WATERMARK FOR date_time AS date_time - INTERVAL 4 SECONDS)"
        f" USING parquet OPTIONS (path 'FOLDER/{name}');\n"
        for name, columns in COLUMNS.items()
    )
    + f"CREATE TABLE side_input ({SIDE_INPUT}) USING parquet OPTIONS (path 'FOLDER/side_input');\n"
)
BY_WALL_CLOCK = "q12"
"""Its windows are those of the moments at which a test happens to run."""

BATCHES = 6
A_SECOND, EACH = 50, 600
PATIENCE_S = 90

_TYPES = {
    "BIGINT": pa.int64(),
    "STRING": pa.string(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
}


def sections(file: str) -> dict[str, tuple[tuple[str, ...], str]]:
    """The queries of a file by name: the streams that one reads, and its text."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    found = re.findall(r"^-- (q\d+)(?: of ([a-z, ]+):.*)?\n((?:(?!--).*\n)+)", text, re.MULTILINE)
    return {name: (tuple(streams.split(", ")), body) for name, streams, body in found}


QUERIES = sections("queries.sql")
ANSWERS = sections("answers.sql")


def as_table(rows: list[Row], columns: str) -> pa.Table:
    """Rows of columns that are declared so."""
    schema = pa.schema(
        [(name, _TYPES[kind]) for name, kind in (each.split() for each in columns.split(", "))]
    )
    arrays = [
        pa.array([row[place] for row in rows], each) for place, each in enumerate(schema.types)
    ]
    return pa.table(arrays, schema=schema)


def side_input() -> pa.Table:
    """A name for each auction."""
    return as_table([(key, f"value {key}") for key in range(1000, 2000)], SIDE_INPUT)


def answer(name: str, story: Story) -> list[tuple[Any, ...]]:
    """DuckDB's."""
    (_, query), database = ANSWERS.get(name, QUERIES[name]), duckdb.connect()
    for stream, columns in COLUMNS.items():
        database.register(stream, _without_zones(as_table(story.rows[stream], columns)))
    database.register("side_input", side_input())
    assert story.clock is not None
    given = {"clock": story.clock.replace(tzinfo=None)} if "$clock" in query else {}
    return database.execute(query, given).fetchall()


def _without_zones(table: pa.Table) -> pa.Table:
    fields = [
        field.with_type(pa.timestamp("us")) if pa.types.is_timestamp(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def check(spark: SparkSession, folder: Path, name: str, batches: int) -> None:
    """Raise an AssertionError where the result is not DuckDB's, or never has a row."""
    streams, query = QUERIES[name]
    house, story, seen = House(Random("Nexmark"), A_SECOND), Story(streams), 0
    (folder / "side_input").mkdir()
    pq.write_table(side_input(), folder / "side_input/1.parquet")
    with live(spark, folder, DECLARED + query, COLUMNS) as job:
        for batch in range(batches):
            events = house.events(EACH)
            story.arrive(events)
            job.arrive({each: as_table(events[each], COLUMNS[each]) for each in streams})
            wanted = answer(name, story)
            seen += len(wanted)
            wrong = fault(wanted, job.result)
            assert wrong is None, f"after batch {batch}: {wrong}"
    assert seen
    assert story.late


@pytest.mark.spark
def test_q8_of_a_few_events(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, "q8", 2)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in QUERIES if name != BY_WALL_CLOCK])
def test_queries(name: str, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, name, BATCHES)


@pytest.mark.spark
@pytest.mark.thorough
def test_windows_of_processing_time(spark: SparkSession, tmp_path: Path) -> None:
    """Each bid is in one window of ten seconds, which closes though nothing comes any more."""
    house = House(Random("Nexmark"), A_SECOND)
    bids: Counter[int] = Counter()
    with live(spark, tmp_path, DECLARED + QUERIES[BY_WALL_CLOCK][1], COLUMNS) as job:
        for _ in range(2):
            rows = house.events(EACH)["bid"]
            bids.update(bidder for _, bidder, *_ in rows)
            job.arrive({"bid": as_table(rows, COLUMNS["bid"])})
        end = time.monotonic() + PATIENCE_S
        while sum(number for _, number, *_ in job.result) < bids.total() and time.monotonic() < end:
            time.sleep(1)
    found: Counter[int] = Counter()
    for (bidder, number, start, stop), times in job.result.items():
        assert (times, stop - start) == (1, timedelta(seconds=10))
        assert start.second % 10 == start.microsecond == 0
        found[bidder] += number
    assert found == bids


@pytest.mark.parametrize("name", QUERIES)
def test_all_compile(name: str) -> None:
    compile_script(SourceText("nexmark.sql", DECLARED + QUERIES[name][1]))
