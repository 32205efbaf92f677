"""Tables whose rows count from the start: what has changed in them is told when the job starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compiler import compile_script
from compiler.source import SourceText
from scenario.carriers import columns_of, to_carrier
from scenario.compare import net
from scenario.engine import Engine, line
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

QUERY = """
CREATE TABLE devices (id INT, name STRING, weight DOUBLE);
CREATE SOURCE s (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
SELECT d.id, d.name, d.weight, s.ts FROM devices AS d LEFT JOIN s ON s.id = d.id;
"""
COLUMNS = {"devices": "id INT, name STRING, weight DOUBLE", "s": "id INT, ts TIMESTAMP"}


def lines(name: str, *rows: tuple[Any, ...]) -> list[str]:
    kinds = [field.dataType for field in columns_of(COLUMNS[name]).fields]
    at = 0 if name == "s" else None
    return [line(name, list(map(to_carrier, row, kinds)), at) for row in rows]


@pytest.mark.spark
def test_changes_of_a_table_come_at_the_next_start(spark: SparkSession, tmp_path: Path) -> None:
    text = compile_script(SourceText("q.sql", QUERY), scenario=True).text
    job = load_job(text, tmp_path / "job.py").JOB
    first = lines("devices", (1, "one", -0.0), (1, "one", -0.0), (2, "two", None), (3, None, 3.0))
    then = lines("devices", (1, "one", -0.0), (2, "zwei", None), (3, None, 3.0), (4, "four", 0.0))
    engine = Engine(spark, job, tmp_path / "run", tables={"devices": first})
    updates: list[tuple[tuple[Any, ...], int]] = []

    def fed(*rows: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        found = engine.feed(lines("s", *rows)).outputs["console"]
        updates.extend((row[:-2], row[-1]) for row in found)
        rows_now, negative = net(updates)
        assert not negative
        return sorted(rows_now, key=str)

    try:
        engine.start()
        one = ((1, "one", 0.0, 5_000_000), (1, "one", 0.0, 5_000_000))
        assert fed((1, 5_000_000)) == sorted(
            [*one, (2, "two", None, None), (3, None, 3.0, None)], key=str
        )
        engine.stop()
        (tmp_path / "run/tables/all").write_text("\n".join(then), encoding="utf-8")
        engine.start()
        expected = [one[0], (2, "zwei", None, None), (3, None, 3.0, None), (4, "four", 0.0, None)]
        assert fed((9, 6_000_000)) == sorted(expected, key=str)
        engine.stop()
        engine.start()
        assert fed((9, 7_000_000)) == sorted(expected, key=str)
    finally:
        engine.stop()
