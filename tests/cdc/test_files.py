"""Changes in files: in the order of their lines and of their files, and from one job to another."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from field.kafka_jobs import ran
from pyspark.sql import SparkSession

FIRST = """
CREATE SOURCE orders (id BIGINT, status STRING, at TIMESTAMP, PRIMARY KEY (id))
USING json OPTIONS (path 'orders')
FORMAT DEBEZIUM ENCODE JSON (timestamp.handling.mode = 'micro');
CREATE SINK counts USING parquet OPTIONS (path 'counts') AS
SELECT status, count(*) AS n, max(at) AS newest FROM orders GROUP BY status;
"""
SECOND = """
CREATE SOURCE counts (status STRING, n BIGINT, newest TIMESTAMP)
USING parquet OPTIONS (path 'counts', mode 'changelog');
CREATE SINK states USING sqlite OPTIONS (path 'live.db', key 'status') AS
SELECT status, n, unix_micros(newest) AS newest FROM counts WHERE n < 10;
"""


def write(path: Path, when: int, *events: tuple[str, int, str | None, int]) -> None:
    """A file of records, as if it had been written at a time."""
    lines = []
    for op, key, status, micros in events:
        row = {"id": key, "status": status, "at": micros}
        image = {"before": {"id": key}, "after": None} if op == "d" else {"after": row}
        lines.append(json.dumps({"op": op, **image}))
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    os.utime(path, (when, when))


def states(folder: Path) -> set[tuple[Any, ...]]:
    with sqlite3.connect(folder / "live.db") as database:
        return {*database.execute("SELECT status, n, newest FROM states")}


@pytest.mark.spark
def test_from_files_to_a_job_behind_another(spark: SparkSession, tmp_path: Path) -> None:
    orders = tmp_path / "orders"
    # The file that is written last has the name that comes first.
    write(orders / "b.json", 1_000, ("c", 1, "new", 7), ("c", 2, "new", 8), ("u", 2, "paid", 9))
    write(orders / "a.json", 2_000, ("u", 1, "sent", 5), ("c", 3, "paid", 6), ("d", 3, None, 0))
    ran(spark, tmp_path, FIRST)
    ran(spark, tmp_path, SECOND)
    assert states(tmp_path) == {("sent", 1, 5), ("paid", 1, 9)}
    write(orders / "c.json", 3_000, ("u", 2, "sent", 4), ("d", 1, None, 0))
    ran(spark, tmp_path, FIRST)
    ran(spark, tmp_path, SECOND)
    assert states(tmp_path) == {("sent", 1, 4)}
