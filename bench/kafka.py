"""Kafka to Kafka: a delay, each record once, against Spark's own pass-through in the same run.

    python bench/kafka.py              everything, as a table (some minutes)
    python bench/kafka.py MODE ADDRESS TOPIC   one measurement, as JSON

Both read the same records: JSON of about 100 bytes in two partitions, 200,000 of them a batch,
which cover ten seconds of event time. The broker has the same cores. Pass-through does not look
into the records, and writes at least once; the delay parses them, holds them for five seconds of
event time, and writes them as JSON again, a transaction a batch.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from delay import BATCH_MS, BATCH_ROWS, apart, session

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

BATCHES = 10
WARM = 4
"""Batches in which the JVM still compiles; they do not count."""
PAIRS = 3
BEGIN_MS = 1_700_000_000_000

QUERY = """
CREATE SOURCE readings (id BIGINT, ts TIMESTAMP, device STRING, x DOUBLE, note STRING,
  WATERMARK FOR ts AS ts)
USING kafka OPTIONS (`kafka.bootstrap.servers` '{address}', subscribe '{topic}',
  startingOffsets 'earliest', maxOffsetsPerTrigger '{rows}');
CREATE SINK due USING kafka
OPTIONS (`kafka.bootstrap.servers` '{address}', topic '{topic}-{mode}', delivery '{mode}') AS
SELECT * FROM readings WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
"""


def main() -> None:
    """Run one mode, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        mode, address, topic = sys.argv[1:]
        print(json.dumps(MODES[mode](address, topic)))
        return
    from field.servers.kafka import broker

    with broker() as kafka:
        kafka.create("readings", 2)
        kafka.produce("readings", ((None, record(number)) for number in range(ROWS)))
        # In turn, since the speed of a machine that others use changes within minutes.
        runs = [
            {mode: apart(__file__, mode, kafka.bootstrap, "readings") for mode in MODES}
            for _ in range(PAIRS)
        ]
    for mode in MODES:
        speeds = [each[mode]["rows_per_s"] for each in runs]
        ratios = [each[mode]["rows_per_s"] / each["pass"]["rows_per_s"] for each in runs]
        shown = " ".join(f"{ratio:.2f}" for ratio in sorted(ratios))
        print(f"{mode:<16}{statistics.median(speeds):>12,.0f} rows/s   of pass-through: {shown}")


ROWS = BATCH_ROWS * BATCHES


def record(number: int) -> bytes:
    """A reading as JSON."""
    ms = BEGIN_MS + number * BATCH_MS // BATCH_ROWS
    seconds, rest = divmod(ms, 1000)
    day, second = divmod(seconds, 86_400)
    assert day == BEGIN_MS // 86_400_000, "the readings are all of one day"
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{rest:03}Z"
    return (
        f'{{"id":{number},"ts":"2023-11-14T{clock}","device":"device-{number % 5000}",'
        f'"x":{number / 7:.4f},"note":"abcdefghijklmnopqrstuvwxyz"}}'
    ).encode()


def passing(address: str, topic: str) -> dict[str, Any]:
    """Spark's own: records from one topic to another."""
    spark = with_connector()
    with tempfile.TemporaryDirectory() as folder:
        rows = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", address)
            .option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", BATCH_ROWS)
            .load()
        )
        query = (
            rows.select("key", "value")
            .writeStream.format("kafka")
            .option("kafka.bootstrap.servers", address)
            .option("topic", f"{topic}-pass")
            .option("checkpointLocation", folder)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return summary(query)


def delayed(mode: str, address: str, topic: str) -> dict[str, Any]:
    """Tvfc's job for the query above."""
    from compiler import compile_script
    from compiler.source import SourceText
    from scenario.job_module import load_job
    from tvfc_runtime import Job, queries_of, start

    text = QUERY.format(address=address, topic=topic, mode=mode, rows=BATCH_ROWS)
    job = compile_script(SourceText("bench.sql", text))
    spec = load_job(job.text, ROOT / "bench" / "job.py").JOB
    spark = with_connector()
    with tempfile.TemporaryDirectory() as folder:
        (outputs,) = queries_of(spec)
        query = start(Job(spark, folder), spec, outputs, availableNow=True)
        query.awaitTermination()
        return summary(query)


def with_connector() -> Any:
    """The session of all modes, which knows Kafka."""
    from field.servers.jars import connector

    jars = ",".join(map(str, connector()))
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jars} pyspark-shell"
    return session()


def summary(query: Any) -> dict[str, Any]:
    """Rows a second, once the JVM has compiled; batches without data count for their time."""
    done = query.recentProgress
    rows = [each["numInputRows"] for each in done]
    assert sum(rows) == ROWS, f"{sum(rows)} of {ROWS} rows"
    times = [each["durationMs"]["triggerExecution"] for each in done]
    return {"rows_per_s": sum(rows[WARM:]) / sum(times[WARM:]) * 1000, "times": times}


MODES = {
    "pass": passing,
    "exactly-once": lambda address, topic: delayed("exactly-once", address, topic),
    "at-least-once": lambda address, topic: delayed("at-least-once", address, topic),
}

if __name__ == "__main__":
    main()
