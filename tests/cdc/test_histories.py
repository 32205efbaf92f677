"""Random histories of tables in all forms of records: what comes of them are the tables.

The records of all histories of a form are taken apart by one query; what operators keep of them is
worked out without Spark, batch by batch.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from changing.feeds import MemoryStore, frozen
from oracle.changed_tables import FORMS, KEYS, Table

from scenario.carriers import columns_of
from scenario.changes import records_of
from tvfc_runtime.cdc.records import changes_of
from tvfc_runtime.changing.latest import GONE, ORDER, Latest, LatestTable
from tvfc_runtime.records.bad_rows import FAULT, FILE
from tvfc_runtime.rows.updates import DIFF
from tvfc_runtime.spec.record_format import RecordFormat
from tvfc_runtime.spec.source import Source

if TYPE_CHECKING:
    from pyspark.sql import Row as SparkRow
    from pyspark.sql import SparkSession

HISTORIES = 60
BATCHES = 5
COLUMNS = "id INT, k STRING, x DOUBLE, p DECIMAL(8, 2), a ARRAY<INT>, day DATE, ts TIMESTAMP"
NAMES = ("id", "k", "x", "p", "a", "day", "ts")


def values(rng: Random) -> list[Any]:
    """A row as a scenario has it."""
    return [
        rng.randrange(KEYS),
        rng.choice((None, "x", "ü", "")),
        rng.choice((None, 0.0, -1.5, float("nan"))),
        rng.choice((None, "1.25", "-3")),
        rng.choice((None, [], [1, None])),
        rng.choice((None, "2024-02-29")),
        rng.choice((None, 0, 5, "1999-12-31T23:59:59.5Z")),
    ]


def source_of(form: str) -> Source:
    """A source of a form, as a job declares it."""
    name, *whole = form.split()
    kinds = ("INT", "STRING", "DOUBLE", "DECIMAL(8, 2)", "ARRAY<INT>", "DATE", "TIMESTAMP")
    options = {"before.images": "whole"} if whole else {}
    return Source(
        name="s",
        columns=dict(zip(NAMES, kinds, strict=True)),
        record=RecordFormat(form=name, options=options),
        key=() if whole else ("id",),
    )


def live(table: Table) -> Counter[Any]:
    """What is in a table, as Spark reads it."""
    return Counter(map(_plain, table.rows.values()))


def _plain(row: list[Any]) -> Any:
    times = {0: "1970-01-01 00:00:00", 5: "1970-01-01 00:00:05", None: None}
    *others, decimal, array, day, ts = row
    decimal = {None: None, "1.25": "1.25", "-3": "-3.00"}[decimal]
    return frozen([*others, decimal, array, day, times.get(ts, "1999-12-31 23:59:59.5")])


@pytest.mark.spark
@pytest.mark.parametrize("form", [each for each in FORMS if each != "changelog"])
def test_changes_add_up_to_the_table(form: str, spark: SparkSession) -> None:
    source, schema = source_of(form), columns_of(COLUMNS)
    records: list[tuple[Any, ...]] = []
    wanted: dict[tuple[int, int], Counter[Any]] = {}
    for history in range(HISTORIES):
        rng = Random(history)
        table = Table(form, [*NAMES], rng)
        for batch in range(BATCHES):
            rows = [each for _ in range(rng.randrange(6)) for each in table.change(values(rng))]
            for each in records_of(form.split()[0], rows, schema, ("id",), "test"):
                records.append((each.value, each.key, f"{history} {batch}", len(records)))
            wanted[history, batch] = live(table)
    frame = spark.createDataFrame(records, f"value STRING, key STRING, {FILE} STRING, n BIGINT")
    order = "named_struct('at', 0L, 'place', '', 'part', 0L, 'line', n)"
    changes = changes_of(frame.selectExpr("value", "key", FILE, f"{order} AS {ORDER}"), source)
    shown = ["id", "k", "x"] + [
        f"CAST({c} AS STRING) AS {c}" if c != "a" else c for c in ("p", "a", "day", "ts")
    ]
    own = [GONE, f"{ORDER}.line AS line"] if source.key else [DIFF]
    by_batch: dict[str, list[SparkRow]] = defaultdict(list)
    for row in changes.selectExpr(*shown, *own, FAULT, FILE).collect():
        assert row[FAULT] is None, row
        by_batch[row[FILE]].append(row)
    folded = _kept if source.key else _summed
    for history in range(HISTORIES):
        told: Counter[Any] = Counter()
        store = MemoryStore()
        for batch in range(BATCHES):
            told.update(folded(by_batch[f"{history} {batch}"], store))
            found = Counter({row: n for row, n in told.items() if n})
            assert found == wanted[history, batch], f"{form}, history {history}, batch {batch}"


def _row(row: SparkRow) -> Any:
    return frozen([row[name] for name in NAMES])


def _summed(rows: list[SparkRow], _: MemoryStore) -> dict[Any, int]:
    found: Counter[Any] = Counter()
    for row in rows:
        found[_row(row)] += row[DIFF]
    return found


def _kept(rows: list[SparkRow], store: MemoryStore) -> dict[Any, int]:
    """What the operator tells of a batch; rows come to it in any order."""
    found: Counter[Any] = Counter()
    if not rows:
        return found
    kinds = (pa.int32(), pa.string(), pa.float64(), pa.string(), pa.list_(pa.int32()))
    types = dict(zip(NAMES, (*kinds, pa.string(), pa.string()), strict=True))
    rows = sorted(rows, key=lambda row: hash((row["line"], len(rows))))
    columns = {"h": pa.array([hash(row["id"]) % 3 for row in rows], pa.int64())}
    columns["t"] = pa.array([0] * len(rows), pa.int64())
    columns |= {name: pa.array([row[name] for row in rows], types[name]) for name in NAMES}
    columns[GONE] = pa.array([row[GONE] for row in rows])
    columns |= {f"o{place}": pa.array([0] * len(rows)) for place in range(3)}
    columns["o3"] = pa.array([row["line"] for row in rows])
    operator = Latest(("id",), NAMES)
    change = operator.combine([pa.RecordBatch.from_pydict(columns)])
    for batch in LatestTable(("id",), NAMES, store, most=4).apply(change):
        for row in batch.to_pylist():
            found[frozen([row[name] for name in NAMES])] += row["d"]
    return found
