"""All operators on changing relations in one streaming query, stopped and started again.

What comes out must add up to what a batch query says of the rows that are there.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from changing.feeds import Live
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime import Job, Watermark
from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.multiplicity import unit_updates
from tvfc_runtime.changing.partitions import WindowFunction
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.spec.source import Source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "s": ("STRING", ["a", "b", None]),
    "a": ("ARRAY<INT>", [[1], [], None]),
    "d": ("DOUBLE", [0.0, -0.0, 0.25, float("nan"), None]),
    "st": ("STRUCT<x INT, y STRING>", [{"x": 1, "y": None}, {"x": 1, "y": "q"}, None]),
    "i": ("INT", [1, 2, 3, -5, None]),
    "l": ("BIGINT", [1, 1 << 40, None]),
    "m": ("DECIMAL(20,4)", [Decimal("1.5000"), Decimal("-2.2222"), None]),
    "b": ("BOOLEAN", [True, False, None]),
    "t": ("TIMESTAMP", [datetime(2026, 3, 1, tzinfo=UTC), datetime(1960, 3, 1, 0, 0, 1, 5, UTC)]),
    "dt": ("DATE", [date(2026, 3, 1), None]),
    "bin": ("BINARY", [b"\x00", b"x"]),
}
SCHEMA = pa.schema(
    {
        "s": pa.string(),
        "a": pa.list_(pa.int32()),
        "d": pa.float64(),
        "st": pa.struct({"x": pa.int32(), "y": pa.string()}),
        "i": pa.int32(),
        "l": pa.int64(),
        "m": pa.decimal128(20, 4),
        "b": pa.bool_(),
        "t": pa.timestamp("us", "UTC"),
        "dt": pa.date32(),
        "bin": pa.binary(),
        "__diff": pa.int32(),
        "at": pa.timestamp("us", "UTC"),
    }
)

CALLS = {
    "n": ("count", ()),
    "n_b": ("count", ("b", "i")),
    "n_if": ("count_if", ("b",)),
    "sum_i": ("sum", ("i",)),
    "sum_m": ("sum", ("m",)),
    "sum_d": ("sum", ("d",)),
    "avg_i": ("avg", ("i",)),
    "avg_m": ("avg", ("m",)),
    "avg_d": ("avg", ("d",)),
    "dev": ("stddev", ("i",)),
    "var": ("var_pop", ("d",)),
    "lo": ("min", ("t",)),
    "hi": ("max", ("st",)),
    "hi_a": ("max", ("a",)),
    "lo_bin": ("min", ("bin",)),
    "months": ("max", ("ym",)),
    "list": ("collect_list", ("dt",)),
    "set": ("collect_set", ("i",)),
    "every": ("bool_and", ("b",)),
    "some": ("bool_or", ("b",)),
    "by": ("max_by", ("t", "i")),
}
DISTINCT = {
    "u": ("count", ("i", "b")),
    "u_sum": ("sum", ("m",)),
    "u_avg": ("avg", ("i",)),
    "u_try": ("try_sum", ("m",)),
}
MORE = {
    Call(name="third", function="percentile", arguments=("i",), constants=(0.3,)): (
        "percentile(i, 0.3)"
    ),
    Call(name="thirds", function="percentiles_approx", arguments=("m",), constants=(0.3, 0.7)): (
        "percentile_approx(m, array(0.3, 0.7))"
    ),
    Call(name="often", function="mode", arguments=("i",)): "mode(i, true)",
    Call(name="bits", function="bit_xor", arguments=("l",)): "bit_xor(l)",
    Call(name="shape", function="kurtosis", arguments=("i",)): "kurtosis(i)",
    Call(name="line", function="regr_slope", arguments=("i", "m")): "regr_slope(i, m)",
    Call(name="texts", function="listagg", arguments=("s", "t"), constants=("-",)): (
        # Spark 4.3 has no WITHIN GROUP beside several DISTINCT aggregates.
        "nullif(array_join(transform(array_sort(collect_list(struct(t, s))), e -> e.s), '-'), '')"
    ),
    Call(name="tried", function="try_sum", arguments=("l",)): "try_sum(l)",
}
ROUNDED = ("avg_i", "avg_d", "dev", "var", "u_avg", "third", "shape", "line")
SORTED = ("list", "set")


def calls() -> list[Call]:
    plain = [Call(name=n, function=f, arguments=c) for n, (f, c) in CALLS.items()]
    once = [Call(name=n, function=f, arguments=c, distinct=True) for n, (f, c) in DISTINCT.items()]
    kept = Call(name="kept", function="sum", arguments=("l",), filter="b")
    return [*plain, *once, *MORE, kept]


def draw(source: random.Random) -> tuple[Any, ...]:
    return tuple(source.choice(values) for _, values in COLUMNS.values())


def shown(rows: DataFrame) -> DataFrame:
    """Rows as text."""
    columns = [
        F.round(name, 9).alias(name)
        if name in ROUNDED
        else F.sort_array(name).alias(name)
        if name in SORTED
        else F.col(name)
        for name in rows.columns
        if name not in ("__time", "__diff")
    ]
    text = F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})
    return rows.select(text.alias("row"), *(n for n in ("__time", "__diff") if n in rows.columns))


def with_more(rows: DataFrame) -> DataFrame:
    """Rows with a column of a type that Arrow does not carry."""
    return rows.withColumn("ym", F.expr("make_ym_interval(0, i)"))


def streamed(job: Job, rows: DataFrame) -> list[DataFrame]:
    """All operators, some above others."""
    updates = with_more(rows).withColumn("__time", job.clock()).drop("at")
    by_key = job.aggregate(updates, ["a", "d", "st"], *calls())
    whole = job.aggregate(
        by_key,
        [],
        Call(name="groups", function="count"),
        Call(name="rows", function="sum", arguments=("n",)),
        Call(name="most", function="max", arguments=("n",)),
    )
    legs = [updates.where(b).select("d", "i", "__time", "__diff") for b in ("b IS NOT TRUE", "b")]
    first = updates.select("s", "i", "t", "__time", "__diff")
    return [
        by_key,
        whole,
        unit_updates(job.multiplicity(*legs, rule="except_all")),
        job.top(
            first,
            partition=["s"],
            order=[Sort("i", descending=True, nulls_first=False)],
            limit=2,
            kind="rank",
            number_column="place",
        ),
        job.windows(
            first,
            WindowFunction(name="running", call="sum(i)"),
            WindowFunction(name="place", call="row_number()"),
            WindowFunction(name="before", call="lag(i)"),
            WindowFunction(name="around", call="max(t)", frame="ROWS 1 PRECEDING"),
            partition=["s"],
            order=[Sort("i", descending=True, nulls_first=False)],
        ),
    ]


OTHERS = [f"{sql} AS {call.name}" for call, sql in MORE.items()]
PLAIN = [f"{f}({', '.join(c) or '*'}) AS {n}" for n, (f, c) in CALLS.items()]
ONCE = [f"{f}(DISTINCT {', '.join(c)}) AS {n}" for n, (f, c) in DISTINCT.items()]
BATCH = [
    f"""SELECT a, d, st, {", ".join(PLAIN + ONCE + OTHERS)}, sum(l) FILTER (WHERE b) AS kept
    FROM live GROUP BY a, d, st""",
    """SELECT count(*) AS groups, sum(n) AS rows, max(n) AS most
    FROM (SELECT count(*) AS n FROM live GROUP BY a, d, st)""",
    """SELECT d, i FROM live WHERE b IS NOT TRUE EXCEPT ALL SELECT d, i FROM live WHERE b""",
    """SELECT s, i, t, place FROM (SELECT s, i, t,
      rank() OVER (PARTITION BY s ORDER BY i DESC NULLS LAST) AS place FROM live)
    WHERE place <= 2""",
    """SELECT s, i, t, sum(i) OVER (PARTITION BY s ORDER BY i DESC NULLS LAST) AS running,
      row_number() OVER w AS place, lag(i) OVER w AS before,
      max(t) OVER (PARTITION BY s ORDER BY i DESC NULLS LAST, t ROWS 1 PRECEDING) AS around
    FROM live WINDOW w AS (PARTITION BY s ORDER BY i DESC NULLS LAST, t)""",
]


@pytest.mark.parametrize(
    "chosen", [(0,), pytest.param(tuple(range(len(BATCH))), marks=pytest.mark.thorough)]
)
def test_updates_add_up_to_what_batch_queries_say(
    tmp_path: Path, spark: SparkSession, chosen: tuple[int, ...]
) -> None:
    feed = tmp_path / "in"
    feed.mkdir()
    source = Source(
        name="feed",
        format="parquet",
        columns={**{n: k for n, (k, _) in COLUMNS.items()}, "__diff": "INT", "at": "TIMESTAMP"},
        options={"path": str(feed), "maxFilesPerTrigger": "1"},
    )
    live = Live(1, draw)
    sums = [Counter[str]() for _ in BATCH]
    sizes = (30, 40)
    for number, size in enumerate(sizes):
        write(feed / f"{number}.parquet", live.batch(size), number)
        types = run(spark, source, tmp_path / "checkpoint", sums, chosen)
        rows = pa.Table.from_pylist(
            [dict(zip(COLUMNS, row, strict=True)) for row in live.rows],
            pa.schema([SCHEMA.field(name) for name in COLUMNS]),
        )
        with_more(spark.createDataFrame(rows)).createOrReplaceTempView("live")
        for place in chosen:
            query = BATCH[place]
            wanted = spark.sql(query)
            assert +sums[place] == Counter(row.row for row in shown(wanted).collect()), query
            assert types[place] == [each.dataType.simpleString() for each in wanted.schema]


@pytest.mark.thorough
def test_without_a_clock_an_update_has_no_time(tmp_path: Path, spark: SparkSession) -> None:
    feed = tmp_path / "in"
    feed.mkdir()
    source = Source(
        name="feed",
        format="json",
        columns={"i": "INT"},
        options={"path": str(feed), "maxFilesPerTrigger": "1"},
    )
    for number, rows in enumerate(["", '{"i": 4}\n{"i": 5}']):
        (feed / f"{number}.json").write_text(rows)
    job = Job(spark, str(tmp_path / "checkpoint"))
    updates = job.stream(source).selectExpr("i", "0L AS __time", "1 AS __diff")
    total = job.aggregate(updates, [], Call(name="n", function="sum", arguments=("i",)))
    found: list[tuple[Any, ...]] = []

    def add(batch: DataFrame, _: int) -> None:
        found.extend(map(tuple, batch.collect()))

    writer = total.writeStream.foreachBatch(add).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    query.awaitTermination()
    assert {row[1] for row in found} == {None}
    assert Counter(row[::2] for row in found) == {(None, 1): 1, (None, -1): 1, (9, 1): 1}


def write(path: Path, updates: list[tuple[tuple[Any, ...], int]], number: int) -> None:
    at = datetime(2026, 3, 1, 0, number, tzinfo=UTC)
    rows = [dict(zip(COLUMNS, row, strict=True)) | {"__diff": n, "at": at} for row, n in updates]
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), path)


def run(
    spark: SparkSession,
    source: Source,
    checkpoint: Path,
    sums: list[Counter[str]],
    chosen: tuple[int, ...],
) -> list[list[str]]:
    """Run until all is read, add up what the chosen results give, and tell the types of all."""
    job = Job(spark, str(checkpoint))
    frames = streamed(job, job.watermarked(source, Watermark(time="at")))
    tagged = [shown(frames[n]).withColumn("n", F.lit(n)) for n in chosen]
    whole = tagged[0]
    for each in tagged[1:]:
        whole = whole.unionByName(each)

    def add(batch: DataFrame, _: int) -> None:
        for row in batch.collect():
            first = datetime(2026, 3, 1, tzinfo=UTC).timestamp() * 1000
            assert row["__time"] is None or row["__time"] >= first
            sums[row.n][row.row] += row["__diff"]

    writer = whole.writeStream.foreachBatch(add).trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(checkpoint)).start()
    query.awaitTermination()
    own = [frame.drop("__time", "__diff") for frame in frames]
    return [[field.dataType.simpleString() for field in frame.schema] for frame in own]
