"""The history of the sources, read once more by a new query up to where the old one has come.

Spark's own log plans it: what each batch reads, and the clock that it has. Where no row has come
late, all rows may be read by one batch before there is a clock, after which the clock takes the
last steps that it has taken; for what is kept does not depend on how rows came in batches. Where
rows have come late, just the same batches are run again, so that the same rows are late.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from commands.upgrading.assembly import Wanted, as_read_now, copy_sources
from commands.upgrading.identity import reading
from commands.upgrading.trial import Planned, planned_of, run_planned
from tvfc_runtime.checkpoint.storage import exists, list_names, list_numbers, read_text
from tvfc_runtime.job.building import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from commands.upgrading.compare import Sides
    from tvfc_runtime.reports.query_status import QueryStatus


@dataclass(frozen=True)
class History:
    """What is replayed: of which checkpoint, and in which batches, sources as it has them."""

    place: str
    batch: int
    batches: tuple[Planned, ...]


@dataclass(frozen=True)
class Replayed:
    """A checkpoint of the new query after the history.

    Attributes:
        place: where it is.
        version: of its state.
        held: how many rows its operators hold, by name.
    """

    place: str
    version: int
    held: Mapping[str, int]


def history_of(status: QueryStatus, batch: int, sides: Sides) -> History | str:
    """What there is to replay, or why it cannot be."""
    pair = sides.pair
    if pair.new.depends:
        return "the new query asks for the time or for chance, which are not what they were"
    for name, part in pair.new.sources.items():
        was = pair.old.sources.get(pair.renamed.get(name, name))
        if was is None or reading(was) != reading(part):
            return f"of the source {name} nothing has been read so far"
    numbers = sorted(each for each in list_numbers(f"{status.place}/offsets") if each <= batch)
    logged = {each: planned_of(read_text(f"{status.place}/offsets/{each}")) for each in numbers}
    batches = _batches(status, logged, len(sides.new.operators) + 1)
    if batches is None:
        return "rows came late, or may have, in batches of which Spark has not kept the clock"
    missing = next(_missing_files(status.place), None)
    if missing is not None:
        return f"the file {missing}, which has been read, is gone"
    return History(status.place, batch, tuple(batches))


def _batches(
    status: QueryStatus, logged: Mapping[int, Planned], steps: int
) -> list[Planned] | None:
    """What is to be run; None: that is not known any more.

    Args:
        status: what has been counted, and up to which batch.
        logged: the batches that are in the log, by number.
        steps: how many steps of the clock operators above each other take.
    """
    if status.counted not in logged or any(each.late for each in status.sources):
        return list(logged.values()) if min(logged) == 0 else None
    counted = [each for number, each in logged.items() if number <= status.counted]
    # Whether rows of later batches were late is not known.
    later = [each for number, each in logged.items() if number > status.counted]
    return [_all_at_once(counted[-1]), *_without_rows(counted, steps), *later]


def _all_at_once(last: Planned) -> Planned:
    return replace(last, facts={**last.facts, "batchWatermarkMs": 0})


def _without_rows(logged: list[Planned], steps: int) -> Iterator[Planned]:
    """The last steps of the clock: operators above each other see it one after the other."""
    for each in logged[-steps:]:
        if each.facts["batchWatermarkMs"]:
            yield replace(each, offsets=logged[-1].offsets)


def _missing_files(place: str) -> Iterator[str]:
    """Files that the sources have read and that are not there any more."""
    for number in list_numbers(f"{place}/sources"):
        for name in list_names(f"{place}/sources/{number}"):
            if name[0] == ".":
                continue
            for path in _paths(read_text(f"{place}/sources/{number}/{name}")):
                parts = urlsplit(path)
                if not exists(unquote(parts.path) if parts.scheme == "file" else path):
                    yield path


def _paths(text: str) -> Iterator[str]:
    for line in text.split("\n")[1:]:
        entry: Any = json.loads(line) if line.startswith("{") else {}
        if isinstance(entry, dict) and "path" in entry:
            yield str(entry["path"])


def replayed(spark: SparkSession, history: History, sides: Sides, folder: Path) -> Replayed:
    """Run the new query over the history, without sinks.

    Raises:
        UpgradeError: it fails.
    """
    place = str(folder / "checkpoint")
    new = sides.pair.new
    as_source = Wanted(
        source=history.place,
        batch=history.batch,
        target=place,
        identity={},
        stocks={},
        leaves=(sides.old.leaves, sides.new.leaves),
        renamed=sides.pair.renamed,
    )
    copy_sources(as_source)
    batches = [planned_of(as_read_now(as_source, each.text())) for each in history.batches]

    def made() -> Job:
        return Job(spark, place, sessions=new.spec.sessions, at_start=new.at_start)

    counters = run_planned(made, new, place, batches)
    return Replayed(place, len(batches), dict(counters.held))
