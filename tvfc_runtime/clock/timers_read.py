"""The timers in the state of a checkpoint, where what operators have told of them is not known.

A checkpoint of an earlier version does not say when its query has to wake, and after a kill between
a batch and its count what the batch has told is lost. Then the state is asked, once, at the start.
"""

from __future__ import annotations

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tvfc_runtime.checkpoint.storage import list_numbers
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.counters.wakes import put_together

OURS = "transformWithStateInPandasExec"


def know_timers(spark: SparkSession, checkpoint: str, counters: Counters, era_ms: int) -> None:
    """See to it that the counters know when the query has to wake.

    Where its state cannot be read they do not, and the query does not sleep.

    Args:
        spark: the session.
        checkpoint: of the query, which does not run.
        counters: of it.
        era_ms: by how much its timers are ahead of the clock; see era.py.
    """
    done = max(list_numbers(f"{checkpoint}/commits"), default=-1)
    if counters.batch >= done and counters.wakes is not None:
        return
    try:
        timers = timers_of(spark, checkpoint)
    except (PySparkException, Py4JError):
        return
    counters.batch = done
    counters.wakes = put_together((), (each - era_ms for each in timers), counters.watermark_ms)


def timers_of(spark: SparkSession, checkpoint: str) -> set[int]:
    """All timers after the last committed batch, as Spark has them, milliseconds since the epoch.

    Raises:
        PySparkException: the state is not to be read.
    """
    known = spark.read.format("state-metadata").load(checkpoint).where(f"operatorName = '{OURS}'")
    found: set[int] = set()
    for operator in known.select("operatorId").distinct().collect():
        reader = spark.read.format("statestore").option("operatorId", operator[0])
        timers = reader.option("readRegisteredTimers", "true").load(checkpoint)
        rows = timers.select("expiration_timestamp_ms").distinct().collect()
        found.update(row[0] for row in rows)
    return found
