"""Queries over sources of changes: at each rest the updates add up to what Spark answers.

Tables change at random, row by row; records of that come in batches, in any of the forms, some of
them twice, with restarts between. Whenever the job is at rest, what it has told adds up to the
answer of the query over the tables as they are, with `mz_now()` where the wall clock is.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from oracle.changed_tables import FORMS, KEYS, Table, Values, declared
from oracle.test_against_spark import COLUMNS, ROWS, lines_of, queries
from oracle.trial import Difference, Trial
from pyspark.sql.types import DataType, StructType, TimestampType

from compiler import CompileError, compile_script
from compiler.source import SourceText
from scenario.carriers import as_text, columns_of, row_of, to_carrier
from scenario.changes import records_of
from scenario.compare import difference, net
from scenario.engine import Engine, line, record_line, wall_clock_tick
from scenario.job_module import load_job
from scenario.rows import normal_rows
from scenario.runner import partitions

if TYPE_CHECKING:
    from oracle.feeds import File
    from pyspark.sql import SparkSession

    from scenario.compare import Rows

BY_CLOCK = "changes_by_clock.sql"
STREAMS = ("a", "b")
EACH = 4
"""Queries of one job."""
BATCHES = 3
FIRST_S = 6
"""The wall clock before the first batch, in seconds; the times of rows are about there."""


def values(rng: Random, name: str) -> Values:
    """A row of a table, as a scenario has it."""
    ts = rng.choice((None, *range(FIRST_S, FIRST_S + 9)))
    key, k = rng.randrange(KEYS), rng.choice((None, "x", "X", "y", "z"))
    if name == "a":
        s = rng.choice((None, [1, "p"], [2, None], [None, "q"]))
        return [key, k, rng.choice((None, 1, 5, 7)), s, ts]
    r = rng.choice((None, [], [1], [1, 2], [None]))
    return [key, k, rng.choice((None, 0.0, -0.0, 1.5, 2.5, float("nan"))), r, ts]


def accepted(declarations: str, asked: list[str]) -> list[str]:
    """Those queries that are not refused over sources of changes."""
    found = []
    for query in asked:
        try:
            compile_script(SourceText("q.sql", f"{declarations}{query};"), scenario=True)
        except CompileError:
            continue
        found.append(query)
    return found


class Run:
    """A job over changing tables, and the tables as they are.

    Args:
        spark: a session.
        folder: of the job.
        asked: queries.
        seed: of chance.
        ticks: whether the wall clock goes.
    """

    def __init__(
        self, spark: SparkSession, folder: Path, asked: list[str], seed: int, *, ticks: bool
    ) -> None:
        self.rng = Random(seed)
        self.tables = {}
        declarations = f"CREATE TABLE c ({COLUMNS['c']});\n"
        for name in STREAMS:
            form = self.rng.choice([*FORMS])
            names = columns_of(COLUMNS[name]).fieldNames()
            self.tables[name] = Table(form, names, self.rng)
            declarations += declared(name, COLUMNS[name], form)
        self.asked = accepted(declarations, asked)
        self.forms = {name: table.form for name, table in self.tables.items()}
        sinks = "".join(f"CREATE SINK q{n} AS {each};\n" for n, each in enumerate(self.asked))
        text = compile_script(SourceText("q.sql", declarations + sinks), scenario=True).text
        spec = load_job(text, folder / "job.py").JOB
        self.engine = Engine(spark, spec, folder / "run", tables={"c": lines_of("c", ROWS["c"])})
        self._spark, self._ticks = spark, ticks
        self._told: list[list[tuple[tuple[Any, ...], int]]] = [[] for _ in self.asked]
        self.now_s = FIRST_S

    def batch(self) -> list[str]:
        """Changes, and the records of them as the engine reads them."""
        found = []
        for name, table in self.tables.items():
            number = self.rng.choice((0, 1, 3, 6))
            rows = [each for _ in range(number) for each in table.change(values(self.rng, name))]
            found += self._lines(name, table, rows)
        if self._ticks:
            self.now_s += self.rng.choice((0, 1, 2, 4))
            found.append(wall_clock_tick(self.now_s * 1000))
        return found

    def _lines(self, name: str, table: Table, rows: list[Any]) -> list[str]:
        schema, form = columns_of(COLUMNS[name]), table.form.split()[0]
        if form == "changelog":
            schema = columns_of(f"{COLUMNS[name]}, _diff INT")
            kinds = [each.dataType for each in schema.fields]
            found = normal_rows(rows, schema, name)
            return [line(name, list(map(to_carrier, row, kinds)), 0) for row in found]
        records = records_of(form, rows, schema, ("id",), name)
        return [record_line(name, each.value, each.key) for each in records]

    def step(self, lines: list[str]) -> list[str]:
        """Let records arrive; what differs from the answers then."""
        outputs = self.engine.feed(lines).outputs
        schemas = self.engine.schemas()
        for place, updates in enumerate(self._told):
            assert schemas[f"q{place}"].fieldNames()[-2:] == ["_time", "_diff"]
            updates += [(row[:-2], row[-1]) for row in outputs[f"q{place}"]]
        self._show()
        faults = []
        for query, updates in zip(self.asked, self._told, strict=True):
            rows, negative = net(updates)
            wrong = difference(self._answer(query), rows)
            if wrong is not None or negative:
                faults.append(f"{self.forms}, at {self.now_s} s: {query}: {wrong} {negative}")
        return faults

    def _show(self) -> None:
        """The tables as views of Spark."""
        for name, table in self.tables.items():
            schema = columns_of(COLUMNS[name])
            kinds = [each.dataType for each in schema.fields]
            rows = [tuple(map(_value, each, kinds)) for each in table.rows.values()]
            frame = self._spark.createDataFrame(rows, schema)
            frame.createOrReplaceTempView(name)

    def _answer(self, query: str) -> Rows:
        sql = query.replace("mz_now()", f"timestamp_seconds({self.now_s})")
        frame = self._spark.sql(sql)
        return [row_of(row.line, frame.schema) for row in as_text(frame).collect()]


def _value(value: Any, kind: DataType) -> Any:
    """A value as Spark takes it."""
    if value is None:
        return None
    if isinstance(kind, TimestampType):
        return datetime.fromtimestamp(value, UTC)
    return tuple(value) if isinstance(kind, StructType) else value


def check(spark: SparkSession, folder: Path, asked: list[str], seed: int, *, ticks: bool) -> None:
    with partitions(spark, 1 + seed % 2):
        faults = _faults(spark, Run(spark, folder, asked, seed, ticks=ticks))
    assert not faults, "\n".join(faults[:5])


def _faults(spark: SparkSession, run: Run) -> list[str]:
    faults: list[str] = []
    try:
        run.engine.start()
        for _ in range(BATCHES):
            if run.rng.random() < 0.3:
                run.engine.stop()
                run.engine.start()
            faults += run.step(run.batch())
    finally:
        run.engine.stop()
        for name in STREAMS:
            spark.catalog.dropTempView(name)
    return faults


def trial(seed: int, *, pairs: int) -> Trial:
    """Some of the queries over tables that change by chance; what differs is told as it is."""
    rng = Random(f"changes {seed}")
    ticks = rng.random() < 0.6
    asked = rng.sample(queries(BY_CLOCK) if ticks else PLAIN, pairs)

    def compare(
        spark: SparkSession, folder: Path, places: list[int], _files: list[File]
    ) -> dict[int, Difference]:
        folder.mkdir(parents=True, exist_ok=True)
        show_table(spark)
        chosen = [asked[place] for place in places]
        faults = _faults(spark, Run(spark, folder, chosen, seed, ticks=ticks))
        assert not faults, "\n".join(faults)
        return {}

    return Trial(
        title=f"changes {seed}",
        sources="",
        queries=asked,
        pairs=pairs,
        files=[],
        times=frozenset(),
        table=[],
        compare=compare,
    )


PLAIN = [each for each in queries("against_spark.sql") if "window" not in each]
JOBS = -(-len(PLAIN) // EACH)
JOBS_BY_CLOCK = -(-len(queries(BY_CLOCK)) // EACH)


def show_table(spark: SparkSession) -> None:
    """The static table as a view of Spark."""
    spark.createDataFrame(ROWS["c"], columns_of(COLUMNS["c"])).createOrReplaceTempView("c")


@pytest.fixture(scope="module", autouse=True)
def table(spark: SparkSession) -> None:
    show_table(spark)


@pytest.mark.spark
def test_a_few_queries(spark: SparkSession, tmp_path: Path) -> None:
    asked = "SELECT a.k, count(b.id) AS n FROM a LEFT JOIN b ON a.k = b.k GROUP BY a.k"
    check(spark, tmp_path, [asked], 7, ticks=False)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(JOBS))
def test_as_spark_answers(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, PLAIN[seed::JOBS], seed, ticks=False)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(JOBS_BY_CLOCK))
def test_by_the_clock(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    asked = queries(BY_CLOCK)[seed::JOBS_BY_CLOCK]
    check(spark, tmp_path, asked, 100 + seed, ticks=True)


@pytest.mark.slow
def test_few_queries_are_refused() -> None:
    declarations = f"CREATE TABLE c ({COLUMNS['c']});\n" + "".join(
        declared(name, COLUMNS[name], "upsert") for name in STREAMS
    )
    assert len(accepted(declarations, PLAIN)) > len(PLAIN) * 0.95
