"""Late rows leave the plan where they come in: below the shuffle, by Spark's own metrics."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from run.jobs import compile_job

from scenario.job_module import load_job
from tvfc_runtime import Job
from tvfc_runtime.sources.watermark import LATE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ROWS = 100
QUERY = """CREATE SOURCE s (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
SELECT window_end, count(*) AS n FROM TUMBLE(s, ts, INTERVAL 1 HOUR) GROUP BY window_end
EMIT ON WINDOW CLOSE;
"""


def write(folder: Path, number: int, seconds: list[int]) -> None:
    """A file of rows with these times."""
    folder.mkdir(exist_ok=True)
    moments = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(each)) for each in seconds]
    lines = [json.dumps({"id": id_, "ts": moment}) for id_, moment in enumerate(moments)]
    (folder / f"{number}.json").write_text("\n".join(lines), encoding="utf-8")


def rows_on_time(spark: SparkSession) -> set[int]:
    """How many rows the filters of late rows have let pass, in the executions so far."""
    store = spark._jsparkSession.sharedState().statusStore()
    found: set[int] = set()
    executions = store.executionsList()
    for place in range(executions.size()):
        identity = executions.apply(place).executionId()
        values = store.executionMetrics(identity)
        nodes = store.planGraph(identity).allNodes()
        for node in (nodes.apply(each) for each in range(nodes.size())):
            if node.name() != "Filter" or LATE not in node.desc():
                continue
            for name, value in _metrics(node, values):
                if name == "number of output rows" and value.replace(",", "").isdigit():
                    found.add(int(value.replace(",", "")))
    return found


def _metrics(node: Any, values: Any) -> list[tuple[str, str]]:
    metrics = [node.metrics().apply(place) for place in range(node.metrics().size())]
    known = [(each.name(), values.get(each.accumulatorId())) for each in metrics]
    return [(name, value.get()) for name, value in known if value.isDefined()]


def test_late_rows_do_not_reach_the_shuffle(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "in", 1, [1_700_000_000])
    job = compile_job(tmp_path, QUERY)
    spec = load_job(job.read_text(encoding="utf-8"), job).JOB
    checkpoint = str(tmp_path / "checkpoint")
    frame = spec.outputs[0].build(Job(spark, checkpoint))
    query = frame.writeStream.format("noop").option("checkpointLocation", checkpoint).start()
    try:
        query.processAllAvailable()
        late, on_time = [1_600_000_000] * ROWS, [1_700_000_001] * ROWS
        write(tmp_path / "in", 2, [*late, *on_time])
        query.processAllAvailable()
        (batch,) = [each for each in query.recentProgress if each["numInputRows"] > ROWS]
        observed = {name: row for name, row in batch["observedMetrics"].items() if "/s/" in name}
        (source,) = [row for name, row in observed.items() if name.startswith("tvfc/source/")]
        assert (source.rows, source.late) == (2 * ROWS, ROWS)
        (state,) = batch["stateOperators"]
        assert state["numRowsDroppedByWatermark"] == 0
        # Below the windows and the shuffle; late rows are counted, and go no further.
        found = rows_on_time(spark)
        assert ROWS in found
        assert 2 * ROWS not in found
    finally:
        query.stop()
