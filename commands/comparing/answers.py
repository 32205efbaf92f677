"""Two sinks beside each other: what they have at one value of the clock, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from commands.comparing.files import rows_up_to
from commands.comparing.moments import Agreed, AsOf, Log, agreed
from commands.comparing.rows import Bag, Difference, changed, difference
from commands.comparing.sinks import CompareError
from commands.comparing.tables import is_table, rows_of_table
from tvfc_runtime.reports.verdicts import moment
from tvfc_runtime.sinks.files import FILE_FORMATS
from tvfc_runtime.sinks.tables import UPDATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commands.comparing.sinks import Sink

SAME, DIFFERENT, NOT_COMPARED = "same", "different", "not compared"


@dataclass(frozen=True)
class Answer:
    """What a sink has after a batch.

    Attributes:
        rows: its rows.
        batch: the batch.
        clock_ms: the clock value, milliseconds since the epoch; 0: there was none yet.
    """

    rows: Bag
    batch: int
    clock_ms: int


@dataclass(frozen=True)
class Compared:
    """What two sinks have.

    Attributes:
        sink: the name, of the first.
        verdict: `same`, `different` or `not compared`.
        clocks_ms: the clock value of each, milliseconds since the epoch; 0: none.
        batches: the batch of each.
        difference: in which rows they differ; None: they were not compared.
        notes: what else is to be known, in words.
    """

    sink: str
    verdict: str
    clocks_ms: tuple[int, int] | None = None
    batches: tuple[int, int] | None = None
    difference: Difference | None = None
    notes: tuple[str, ...] = field(default=())


def compared(
    sinks: tuple[Mapping[str, Sink], Mapping[str, Sink]], as_of: AsOf, most: int
) -> list[Compared]:
    """Each sink of a job beside that of the same name of another; two only ones belong together.

    Args:
        sinks: those of both, by name.
        as_of: the moment that is asked for.
        most: how many rows are shown of each kind.
    """
    pairs = pairs_of(*sinks)
    found = [compared_pair(one, other, as_of, most) for one, other in pairs]
    paired = {each.name for pair in pairs for each in pair}
    for each in (sink for of in sinks for sink in of.values() if sink.name not in paired):
        why = f"only {each.place} has a sink of that name"
        found.append(Compared(each.name, NOT_COMPARED, notes=(why,)))
    return found


def pairs_of(first: Mapping[str, Sink], second: Mapping[str, Sink]) -> list[tuple[Sink, Sink]]:
    """Each sink with that of the same name; the only ones of two jobs belong together, too."""
    if len(first) == len(second) == 1:
        return list(zip(first.values(), second.values(), strict=True))
    return [(each, second[name]) for name, each in first.items() if name in second]


def compared_pair(one: Sink, other: Sink, as_of: AsOf, most: int) -> Compared:
    """A sink beside another one."""
    try:
        _check_alike(one, other)
        logs = Log(one.place), Log(other.place)
        at = agreed(*logs, as_of)
        answers = _answer(one, logs[0], at, 0), _answer(other, logs[1], at, 1)
        if as_of != AsOf():
            _check_asked(answers, at)
        found = difference(answers[0].rows, answers[1].rows, most)
    except CompareError as error:
        return Compared(one.name, NOT_COMPARED, notes=(str(error),))
    return Compared(
        one.name,
        SAME if found.is_none else DIFFERENT,
        (answers[0].clock_ms, answers[1].clock_ms),
        (answers[0].batch, answers[1].batch),
        found,
        tuple(_notes(found, answers, logs)),
    )


def _check_alike(one: Sink, other: Sink) -> None:
    if one.format != other.format:
        raise CompareError(f"it is {one.format} in {one.place} and {other.format} in {other.place}")
    if (bool(one.key), one.changes) != (bool(other.key), other.changes):
        raise CompareError("one holds a result by key or its changes, the other one does not")


def _answer(sink: Sink, log: Log, at: Agreed, side: int) -> Answer:
    """What a sink has at a moment.

    Raises:
        CompareError: that cannot be told.
    """
    tells_changes = sink.changes and not sink.key
    if is_table(sink):
        found = rows_of_table(sink)
        clock = log.clock_of(found.batch)
        if clock is None:
            raise CompareError(f"{sink.place} does not know batch {found.batch} of its table")
        rows = _bag(sink, found.rows, at)
        return Answer(rows, found.batch, at.clock_ms if tells_changes else clock)
    if sink.format not in FILE_FORMATS:
        raise CompareError(_UNREAD.get(sink.format, f"nothing here reads {sink.format}"))
    batch = at.batches[side]
    if batch is None and not tells_changes:
        raise CompareError(
            f"{sink.place} has had no batch with the clock at {_said(at.clock_ms)}, and its files "
            "tell what had come by the end of a batch: compare once both jobs have read all there "
            "is"
        )
    batch = at.last[side] if batch is None else batch
    return Answer(_bag(sink, rows_up_to(sink, batch), at), batch, at.clock_ms)


_UNREAD = {
    "console": "what goes to the console is kept nowhere",
    "kafka": "topics are not read here; a job of its own can read both into tables, to be compared",
}


def _bag(sink: Sink, rows: pa.Table, at: Agreed) -> Bag:
    if not sink.changes or sink.key:
        return Bag(rows, pa.array(np.ones(rows.num_rows, np.int64)))
    clock = pa.scalar(at.clock_ms * 1000, pa.timestamp("us", "UTC")) if at.clock_ms else None
    return changed(rows, *UPDATE, clock)


def _check_asked(answers: tuple[Answer, Answer], at: Agreed) -> None:
    for each in answers:
        if each.clock_ms != at.clock_ms:
            raise CompareError(
                "a table keeps its last rows alone, which are those of "
                f"{_said(each.clock_ms)}, and not of {_said(at.clock_ms)}"
            )


def _notes(
    found: Difference, answers: tuple[Answer, Answer], logs: tuple[Log, Log]
) -> Iterator[str]:
    for log, names in zip(logs, found.columns, strict=True):
        if names:
            yield f"only {log.place} has the columns {', '.join(names)}; rows are compared without"
    clocks = answers[0].clock_ms, answers[1].clock_ms
    if clocks[0] != clocks[1]:
        yield (
            f"the clock was {_said(clocks[0])} in {logs[0].place} and {_said(clocks[1])} in "
            f"{logs[1].place}: what differs may be what has come between"
        )
        return
    read = [log.inputs(each.batch) for log, each in zip(logs, answers, strict=True)]
    if read[0] is None or read[1] is None:
        yield "whether both had read the same by then cannot be told"
    elif read[0] != read[1]:
        only = len(read[0] - read[1]), len(read[1] - read[0])
        yield (
            f"they had not read the same by then: {only[0]} files or partitions are as only "
            f"{logs[0].place} has read them, {only[1]} as only {logs[1].place} has"
        )


def _said(clock_ms: int) -> str:
    return moment(clock_ms, " UTC") if clock_ms else "without a value"


def said(found: Compared) -> str:
    """As of when two sinks were compared, in words."""
    if found.clocks_ms is None or found.batches is None:
        return ""
    one, other = dict.fromkeys(map(_said, found.clocks_ms)), found.batches
    return f"clock {' and '.join(one)}, batches {other[0]} and {other[1]}"
