"""Kafka to Kafka: a delay, each record once, against Spark's own pass-through in the same run.

    python bench/kafka.py              everything, as a table (a quarter of an hour)
    python bench/kafka.py MODE ADDRESS TOPIC   one measurement, as JSON

Both read the same records: JSON of about 100 bytes in two partitions, 200,000 of them a batch,
which cover ten seconds of event time. The broker has the same cores. Pass-through does not look
into the records, and writes at least once; the delay parses them, holds them for five seconds of
event time, and writes them as JSON again, a transaction a batch. They run side by side, see
turns.py, and the batches in which the JVM compiles do not count.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from delay import BATCH_MS, BATCH_ROWS, session
from turns import in_turn, ratio

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

BATCHES = 80
"""Pass-through takes twice as many of them in the same time as a delay."""
WARM = 15
"""Batches in which the JVM still compiles; they do not count."""
TURN_S = 16
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
        for delivery in ("exactly-once", "at-least-once"):
            show(kafka.bootstrap, delivery)


def show(address: str, delivery: str) -> None:
    """The lines of a way to write, side by side with pass-through."""
    runs = [[mode, address, "readings"] for mode in ("pass", delivery)]
    pairs = in_turn(__file__, runs, TURN_S, WARM)
    for mode, speeds in zip(("pass", delivery), zip(*pairs, strict=True), strict=True):
        print(f"{mode:<16}{statistics.median(speeds):>12,.0f} rows/s")
    print(f"  of pass-through: {ratio(pairs)}", flush=True)


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
    """When each batch with rows began and how long it took, milliseconds."""
    done = [each for each in query.recentProgress if each["numInputRows"]]
    rows = sum(each["numInputRows"] for each in done)
    assert rows == ROWS, f"{rows} of {ROWS} rows"
    starts = [datetime.fromisoformat(each["timestamp"]).timestamp() * 1000 for each in done]
    times = [each["durationMs"]["triggerExecution"] for each in done]
    return {"batches": list(zip(starts, times, strict=True))}


MODES = {
    "pass": passing,
    "exactly-once": lambda address, topic: delayed("exactly-once", address, topic),
    "at-least-once": lambda address, topic: delayed("at-least-once", address, topic),
}

if __name__ == "__main__":
    main()
