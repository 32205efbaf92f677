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
from tvfc_runtime.checkpoint.storage import write_text
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.job.changing import PARTITIONS
from tvfc_runtime.job.program import STATE, on_checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from commands.upgrading.queries import Query
    from tvfc_runtime.job.building import Job

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


def run_planned(
    made: Callable[[], Job], query: Query, place: str, batches: Sequence[Planned]
) -> Counters:
    """Run batches as they are planned; answers what they have counted.

    Args:
        made: makes a job on the checkpoint; each batch takes one.
        query: its query.
        place: the checkpoint.
        batches: what is planned. The version of the state is their number.

    Raises:
        UpgradeError: one of them fails.
    """
    counters = Counters()
    # Spark takes a log without an id for damaged.
    write_text(f"{place}/metadata", json.dumps({"id": str(uuid4())}))
    for number, batch in enumerate(batches):
        write_text(f"{place}/offsets/{number}", batch.text())
        job = made()
        with _snapshots(job.spark, batch.facts["conf"]):
            counters.update(_run_once(job, query))
    return counters


def run_what_is_there(job: Job, query: Query, conf: Mapping[str, str]) -> Mapping[str, Any]:
    """Run one batch of what the sources have; answers what it has observed.

    Raises:
        UpgradeError: it fails.
    """
    with _snapshots(job.spark, conf):
        progress = _run_once(job, query)
        return {} if progress is None else dict(progress["observedMetrics"])


def _run_once(job: Job, query: Query) -> Any:
    try:
        frame = frame_of(query, job)
        stream = on_checkpoint(job, frame.writeStream.format("noop")).trigger(once=True).start()
        stream.awaitTermination()
    except PySparkException as error:
        why = str(error).strip().partition("\n")[0]
        raise UpgradeError(f"TVF755: a trial of the new query has failed: {why}") from None
    return stream.lastProgress


@contextmanager
def _snapshots(spark: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    """With snapshots of all state after each batch, and as many partitions as a checkpoint has."""
    wanted = {CHANGES_ONLY: "false", PARTITIONS: str(conf[PARTITIONS])}
    before = {key: str(spark.conf.get(key)) for key in wanted}
    for key, value in wanted.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
