"""Batches of a query on a checkpoint of its own, whose rows go nowhere, for the state they leave.

Each batch ends with whole snapshots of state, so that its files can be moved to another version.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.errors import PySparkException

from commands.upgrading.queries import UpgradeError
from commands.upgrading.stand_ins import frame_of
from tvfc_runtime.changing_job import PARTITIONS
from tvfc_runtime.program import STATE, on_checkpoint
from tvfc_runtime.storage import write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from commands.upgrading.queries import Query
    from tvfc_runtime.job import Job

NO_OFFSET = "-"
CHANGES_ONLY = f"{STATE}.rocksdb.changelogCheckpointing.enabled"


@dataclass(frozen=True)
class Planned:
    """A batch as it stands in the offset log.

    Attributes:
        facts: what Spark notes of it: `batchWatermarkMs`, `batchTimestampMs`, `conf`.
        offsets: how far it reads each source.
    """

    facts: Mapping[str, Any]
    offsets: tuple[str, ...]

    def text(self) -> str:
        """As in the log."""
        return "\n".join(["v1", json.dumps(self.facts, separators=(",", ":")), *self.offsets])


def planned_of(text: str) -> Planned:
    """A batch of the offset log.

    Raises:
        UpgradeError: it is written in another form.
    """
    version, facts, *offsets = text.split("\n")
    if version != "v1":
        raise UpgradeError(f"TVF755: an offset log of version {version} is not known")
    return Planned(json.loads(facts), tuple(offsets))


def run_planned(job: Job, query: Query, batches: Sequence[Planned]) -> int:
    """Run batches as they are planned; answers the version of the state after the last one.

    Raises:
        UpgradeError: one of them fails.
    """
    # Spark takes a log without an id for damaged.
    write_text(f"{job.checkpoint}/metadata", json.dumps({"id": str(uuid4())}))
    with _snapshots(job.spark, batches[0].facts["conf"]):
        for number, batch in enumerate(batches):
            write_text(f"{job.checkpoint}/offsets/{number}", batch.text())
            _run_once(job, query)
    return len(batches)


def run_what_is_there(job: Job, query: Query, conf: Mapping[str, str]) -> Mapping[str, Any]:
    """Run one batch of what the sources have; answers what it has observed.

    Raises:
        UpgradeError: it fails.
    """
    with _snapshots(job.spark, conf):
        return _run_once(job, query)


def _run_once(job: Job, query: Query) -> Mapping[str, Any]:
    try:
        frame = frame_of(query, job)
        stream = on_checkpoint(job, frame.writeStream.format("noop")).trigger(once=True).start()
        stream.awaitTermination()
    except PySparkException as error:
        why = str(error).strip().partition("\n")[0]
        raise UpgradeError(f"TVF755: a trial of the new query has failed: {why}") from None
    last = stream.lastProgress
    return {} if last is None else dict(last["observedMetrics"])


@contextmanager
def _snapshots(spark: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """With snapshots of all state after each batch, and as many partitions as a checkpoint has."""
    wanted = {CHANGES_ONLY: "false", PARTITIONS: str(conf[PARTITIONS])}
    before = {key: spark.conf.get(key) for key in wanted}
    for key, value in wanted.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, str(value))
