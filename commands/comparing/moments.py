"""The clock value at which two queries are compared, and the batches in which they were there.

A query is compared as it was after a batch. Batches of one clock value are told apart by what the
query had read: what waits for no clock leaves as it is read. So of the batches at a clock value
those are taken, the last ones, of which both queries had read the same, if there are such.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from commands.comparing.sinks import CompareError
from commands.inside.source_files import FileLog
from tvfc_runtime.checkpoint.storage import list_numbers, read_text
from tvfc_runtime.clock.of_batch import clock_ms, noted_of_batch
from tvfc_runtime.reports.verdicts import moment
from tvfc_runtime.sources.first_batch import FIRST_BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

Inputs = frozenset[tuple[str, ...]]
"""The files that were read, and the offsets up to which topics were."""


@dataclass(frozen=True)
class AsOf:
    """The moment that is asked for: a batch of the first job, or a clock value in milliseconds."""

    batch: int | None = None
    clock_ms: int | None = None


@dataclass(frozen=True)
class Agreed:
    """Where two queries are compared.

    Attributes:
        clock_ms: the clock value, milliseconds since the epoch; 0: there was none yet.
        batches: of each the last batch to be looked at; None: it has had none at this very value.
        last: the last batch of each that is done.
    """

    clock_ms: int
    batches: tuple[int | None, int | None]
    last: tuple[int, int]


class Log:
    """The batches of a query that are done, with the clock that each had."""

    def __init__(self, place: str) -> None:
        self.place = place

    @cached_property
    def clocks(self) -> dict[int, int]:
        """The clock of each batch that is done and kept, the oldest first."""
        done = max(list_numbers(f"{self.place}/commits"), default=-1)
        kept = sorted(list_numbers(f"{self.place}/offsets"))
        clocks = {each: self.clock_of(each) for each in kept if each <= done}
        found = {each: clock for each, clock in clocks.items() if clock is not None}
        if not found:
            raise CompareError(f"{self.place} has no batch that is done")
        return found

    def clock_of(self, batch: int) -> int | None:
        """The clock of a batch, done or not; None: that is not kept."""
        try:
            return clock_ms(int(noted_of_batch(self.place, batch)["batchWatermarkMs"]))
        except (ValueError, IndexError, KeyError, OSError):
            return None  # Removed meanwhile, or being written.

    @cached_property
    def _files(self) -> FileLog:
        return FileLog(self.place)

    def inputs(self, batch: int) -> Inputs | None:
        """What was read up to a batch; None: it cannot be told."""
        try:
            lines = read_text(f"{self.place}/offsets/{batch}").split("\n")[2:]
            offsets = [json.loads(line) for line in lines if line not in ("-", "")]
        except (ValueError, OSError):
            return None
        folders = sorted(list_numbers(f"{self.place}/sources"))
        lasts = {place: each for place, each in enumerate(offsets) if _of_files(each)}
        if len(folders) < len(offsets) and len({str(each) for each in lasts.values()}) > 1:
            return None  # Which log is whose Spark does not say where a source is read twice.
        only = next(iter(lasts.values()), None) if len(folders) < len(offsets) else None
        read = {
            ("file", path)
            for path, (folder, number) in self._files.files.items()
            if not path.endswith(f"/{FIRST_BATCH}/row")  # It lies in the checkpoint itself.
            and number <= int((only or lasts.get(folder) or {"logOffset": -1})["logOffset"])
        }
        return frozenset(read | {each for found in offsets for each in _of_topics(found)})


def _of_files(offset: Any) -> bool:
    return isinstance(offset, dict) and "logOffset" in offset


def _of_topics(offset: Any) -> Iterator[tuple[str, ...]]:
    """Partitions of topics, each with where the next record is."""
    for topic, partitions in offset.items() if isinstance(offset, dict) else ():
        for partition, place in partitions.items() if isinstance(partitions, dict) else ():
            yield "topic", str(topic), str(partition), str(place)


def agreed(one: Log, other: Log, as_of: AsOf) -> Agreed:
    """Where two queries are compared: at the last clock value that both have had, or as asked for.

    Raises:
        CompareError: there is no such moment.
    """
    last = max(one.clocks), max(other.clocks)
    clock = _asked(one, other, as_of)
    if clock is None:
        both = set(one.clocks.values()) & set(other.clocks.values())
        clock = max(both, default=min(one.clocks[last[0]], other.clocks[last[1]]))
    firsts = [as_of.batch] if as_of.batch is not None else _at(one, clock)
    seconds = _at(other, clock)
    if not firsts or not seconds:
        return Agreed(clock, (_first(firsts), _first(seconds)), last)
    return Agreed(clock, _of_one_input(one, other, firsts, seconds), last)


def _first(batches: list[int]) -> int | None:
    return batches[0] if batches else None


def _asked(one: Log, other: Log, as_of: AsOf) -> int | None:
    if as_of.batch is not None:
        if as_of.batch not in one.clocks:
            first, last = min(one.clocks), max(one.clocks)
            raise CompareError(
                f"batch {as_of.batch} of {one.place} is not done or not kept any more; there are "
                f"batches {first} to {last}"
            )
        return one.clocks[as_of.batch]
    if as_of.clock_ms is not None:
        for each in (one, other):
            reached = max(each.clocks.values())
            if reached < as_of.clock_ms:
                now = moment(reached) if reached else "without a value"
                raise CompareError(f"the clock of {each.place} is {now}, and not there yet")
    return as_of.clock_ms


def _at(log: Log, clock: int) -> list[int]:
    """The batches at a clock value, the last one first."""
    return sorted((batch for batch, each in log.clocks.items() if each == clock), reverse=True)


def _of_one_input(one: Log, other: Log, firsts: list[int], seconds: list[int]) -> tuple[int, int]:
    """The last batches of which both had read the same; if there are none, the last of all."""
    by_input = {other.inputs(batch): batch for batch in reversed(seconds)}
    for batch in firsts:
        read = one.inputs(batch)
        if read is not None and read in by_input:
            return batch, by_input[read]
    return firsts[0], seconds[0]
