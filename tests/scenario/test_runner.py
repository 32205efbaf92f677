"""What the runner says when a scenario does not hold: a runner that never fails proves nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scenario import Outcome, load_file, run_scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY = """
query: |
  CREATE SOURCE s (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts);
  CREATE TABLE t (id INT, name STRING);
  SELECT s.id, t.name FROM s JOIN t ON s.id = t.id
  WHERE s.ts + INTERVAL 1 SECOND <= WATERMARK_TS();
"""


def no_session() -> SparkSession:
    raise AssertionError("this scenario needs no Spark")


def run(tmp_path: Path, text: str, spark: SparkSession | None = None) -> Outcome:
    path = tmp_path / "x.scenario.yaml"
    path.write_text(f"title: wrong\n{text}", encoding="utf-8")
    (scenario,) = load_file(path)
    return run_scenario(scenario, (lambda: spark) if spark is not None else no_session)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query: SELECT 1 FROM nowhere\nsteps: []", "the query does not compile\nerror[TVF"),
        ("query: SELECT FROM\nerror: TVF3", "TVF3 expected, but compiling ended in TVF1"),
        (f"{QUERY}error: TVF3", "TVF3 expected, but the query compiles"),
    ],
)
def test_compiling_otherwise_than_expected(tmp_path: Path, text: str, said: str) -> None:
    (fault,) = run(tmp_path, text).faults
    assert said in fault


@pytest.mark.spark
def test_a_job_that_cannot_be_built_fails_alone(tmp_path: Path, spark: SparkSession) -> None:
    query = """
query: |
  CREATE SOURCE t (k STRING, d DATE, ts TIMESTAMP, WATERMARK FOR ts AS ts);
  SELECT * FROM t MATCH_RECOGNIZE (
    PARTITION BY k ORDER BY ts MEASURES LAST(b.d) AS m PATTERN (a b) WITHIN INTERVAL 1 MINUTE
    DEFINE b AS b.d < FIRST(a.d) + INTERVAL 2 DAYS
  ) AS x;
steps: [{t: []}]
"""
    (fault,) = run(tmp_path, query, spark).faults
    assert fault.startswith("the job failed: TVF718: DATE + INTERVAL")


@pytest.mark.spark
def test_every_kind_of_expectation_can_fail(tmp_path: Path, spark: SparkSession) -> None:
    outcome = run(
        tmp_path,
        f"""{QUERY}
tables: {{t: [[1, one], [2, two]]}}
ordered: true
warnings: [TVFW401]
steps:
  - s: [[1, 10], [2, 10], [3, 10]]
    expect: [[1, one]]
    state_rows: 3
  - s: [[1, 9], [2, 11]]
    expect: [{{id: 2, name: two}}, {{id: 1, name: one}}, {{id: 1}}]
    late: {{s: []}}
    snapshot: [[2, two]]
    state_rows: 1
""",
        spark,
    )
    assert not outcome.passed
    assert list(outcome.faults) == [
        "warning TVFW401 expected: none was given",
        "step 1 (watermark 10): the output of `console` differs\n    missing     [1, one]",
        "step 1 (watermark 10): state_rows: 3 expected, 2 held",
        "step 2 (watermark 11): the output of `console` differs\n    missing     [1, null]",
        "step 2 (watermark 11): the sum of `console` differs\n    unexpected  [1, one]",
        "step 2 (watermark 11): the late rows of `s` differ\n    unexpected  [1, 9]",
    ]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("steps: [{s: [[one, 1]]}]", "step 1, s: column `id`: 'one' is no INT"),
        ("steps: [{s: [[1]]}]", "has 1 values for 2 columns (id, ts)"),
        ("steps: [{s: [{idd: 1}]}]", "no column `idd`; did you mean `id`?"),
        ("steps: [{expects: []}]", "`expects` is no source of the query; did you mean `expect`?"),
        ("steps: [{t: []}]", "`t` is no source of the query"),
        ("steps: [{expect: {out: []}}]", "no sink `out`"),
        ("steps: [{now: '0.0001'}]", "whole number of milliseconds"),
        ("tables: {s: []}\nsteps: []", "`s` is no static table"),
        ("tables: {t: [[1]]}\nsteps: []", "tables: the row [1] has 1 values"),
    ],
)
def test_a_scenario_at_fault(tmp_path: Path, spark: SparkSession, rest: str, said: str) -> None:
    (fault,) = run(tmp_path, f"{QUERY}{rest}", spark).faults
    assert said in fault
    assert "x.scenario.yaml: `wrong`" in fault
