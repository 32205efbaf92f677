"""One query in place of another: what becomes of each part, and the checkpoint for it."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from commands.inside.named import described
from commands.inside.state_store import Texts, read_state
from commands.upgrading.anatomy import anatomy
from commands.upgrading.assembly import Stock, Wanted
from commands.upgrading.compare import (
    Change,
    Fate,
    Sides,
    Verdict,
    changes_of_sinks,
    changes_of_sources,
    fates_of,
    sides_of,
)
from commands.upgrading.conversion import (
    Conversion,
    NotConvertedError,
    held_by,
    moved,
    moved_by,
    planned_anew,
)
from commands.upgrading.file_sinks import unlisted_folders
from commands.upgrading.queries import UpgradeError, old_query
from commands.upgrading.replay import History, history_of, replayed
from commands.upgrading.stand_ins import StandIns, with_functions
from commands.upgrading.store_files import bytes_of
from commands.upgrading.trial import NO_OFFSET, Planned, planned_of, run_planned, run_what_is_there
from tvfc_runtime.clock import clock_ms
from tvfc_runtime.storage import list_names, list_numbers, read_bytes, read_text, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from commands.upgrading.anatomy import Operator
    from commands.upgrading.queries import Query
    from tvfc_runtime.query_status import QueryStatus

_DELAY = re.compile(r"tvfc/delay/\d+")
"""The observation of a delay that gives its rows to a sink."""

WAITS_FOR_GOOD = ("delay",)
"""Kinds of operators whose rows are yet to be sent, each of them."""


@dataclass(frozen=True)
class Takeover:
    """A new query, the checkpoint that it is to follow, and what becomes of what is in there.

    Attributes:
        status: what the checkpoint says of itself.
        batch: the last batch that is done.
        last: that batch in the offset log.
        sides: the two queries.
        fates: where the state of each operator comes from, by its number.
        histories: what is replayed for those operators that need it.
        planned: rows that are held as they are to be held, by number of the operator.
        empty: a checkpoint of the new query after one batch without rows.
        folder: where trials may lie.
        unlisted: folders of files for which Spark has no log yet.
        changes: what becomes of each part.
    """

    status: QueryStatus
    batch: int
    last: Planned
    sides: Sides
    fates: dict[int, Fate]
    history: History | None
    planned: dict[int, DataFrame]
    empty: Path
    folder: Path
    unlisted: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    @property
    def clock_ms(self) -> int:
        """The clock of the last batch, milliseconds since the epoch; 0: it has no value."""
        return clock_ms(int(self.last.facts["batchWatermarkMs"]))

    @property
    def lost(self) -> list[Change]:
        """What is given up."""
        return [each for each in self.changes if each.verdict is Verdict.LOST]


def takeover(spark: SparkSession, status: QueryStatus, new: Query, folder: Path) -> Takeover:
    """Find out what becomes of the parts of a query; nothing is written but in `folder`.

    Raises:
        UpgradeError: that cannot be told.
    """
    place, batch = status.place, status.batch
    if batch < 0:
        raise UpgradeError(f"TVF755: {place} has no batch that is done; start the new query anew")
    old = old_query(place)
    if old.spec.sessions != new.spec.sessions:
        raise UpgradeError(
            "TVF755: only one of the queries has sessions, for which Spark's clock is set "
            "otherwise; start the new query on a checkpoint of its own"
        )
    last = planned_of(read_text(f"{place}/offsets/{batch}"))
    anatomies = tuple(
        anatomy(spark, query, folder / name) for query, name in ((old, "old"), (new, "new"))
    )
    sides = sides_of(old, new, (anatomies[0], anatomies[1]))
    _check_old(place, sides)
    empty = _empty(spark, new, last, len(sides.new.leaves), folder / "empty")
    fates = fates_of(sides, lambda one, other: _schemas(place, one) == _schemas(str(empty), other))
    unlisted = unlisted_folders(sides.pair)
    found = Takeover(status, batch, last, sides, fates, None, {}, empty, folder, unlisted)
    _plan_conversions(spark, found)
    found = _with_history(found)
    found.changes.extend(_changes(found))
    return found


def _check_old(place: str, sides: Sides) -> None:
    numbers = sorted(list_numbers(f"{place}/state"))
    if numbers != [each.number for each in sides.old.operators]:
        raise UpgradeError(
            f"TVF755: {place} has {len(numbers)} operators with state, this version of tvfc finds "
            f"{len(sides.old.operators)} in its query; upgrade with the version that wrote it"
        )


def _empty(spark: SparkSession, query: Query, last: Planned, sources: int, folder: Path) -> Path:
    place = folder / "checkpoint"
    batch = Planned({**last.facts, "batchWatermarkMs": 0}, (NO_OFFSET,) * sources)
    run_planned(lambda: StandIns(spark, folder).job(query, str(place)), query, str(place), [batch])
    return place


def _schemas(place: str, operator: Operator) -> dict[str, bytes]:
    """What Spark has written of the columns of the state of an operator of its own."""
    folder = f"{place}/state/{operator.number}/0"
    stores = ["", *(f"/{each}" for each in list_names(folder) if each[0] not in "._")]
    found = {}
    for store in stores:
        with suppress(OSError):
            found[store] = read_bytes(f"{folder}{store}/_metadata/schema")
    return found


def _plan_conversions(spark: SparkSession, found: Takeover) -> None:
    """Plan the rows of delays anew; what cannot be is lost."""
    for number, fate in list(found.fates.items()):
        if fate.conversion is None:
            continue
        try:
            found.planned[number] = _planned(spark, found, fate.conversion)
        except NotConvertedError as error:
            found.fates[number] = Fate(Verdict.LOST, fate.old, None, f"{fate.why}; {error}")


def _planned(spark: SparkSession, found: Takeover, conversion: Conversion) -> DataFrame:
    texts = [
        each
        for each in read_state(spark, found.status.place, found.batch, {conversion.old.number})
        if isinstance(each, Texts)
    ]
    held = held_by(spark, texts[0] if texts else None, conversion.old)
    pair = found.sides.pair
    job = StandIns(spark, found.folder / f"plan{conversion.new.number}").job(
        pair.new, str(found.empty)
    )
    try:
        return planned_anew(pair.new, job, conversion, held)
    except NotConvertedError:
        by = moved_by(pair, conversion)
        if by is None:
            raise
        return moved(conversion, held, by)


def _with_history(found: Takeover) -> Takeover:
    """What is to be replayed, if something is; where it cannot be, state is lost."""
    wanted = [n for n, fate in found.fates.items() if fate.verdict is Verdict.NEEDS_HISTORY]
    if not wanted:
        return found
    history = history_of(found.status, found.batch, found.sides)
    if isinstance(history, History):
        return replace(found, history=history)
    for number in wanted:
        fate = found.fates[number]
        found.fates[number] = replace(fate, verdict=Verdict.LOST, why=f"{fate.why}; {history}")
    return found


def _changes(found: Takeover) -> Iterator[Change]:
    yield from changes_of_sources(found.sides.pair)
    counted, sizes = found.status.held_by, _sizes(found)
    names = _old_names(found)
    used = set()
    for each in found.sides.new.operators:
        fate = found.fates[each.number]
        rows = size = None
        if fate.old is not None:
            used.add(fate.old.number)
            rows = counted.get(names[fate.old.number], 0)
            size = sizes[fate.old.number]
        why = fate.why
        if each.number in found.planned and rows:
            left = rows - _due_ever(found.planned[each.number])
            why += f"; {left:,} of its rows do not meet the new conditions" if left else ""
        yield Change("operator", _title(each), fate.verdict, why, rows, size)
    for each in found.sides.old.operators:
        rows = counted.get(names[each.number], 0)
        if each.number in used or not rows:
            continue
        verdict, why = _gone(each)
        yield Change("operator", _title(each), verdict, why, rows, sizes[each.number])
    yield from changes_of_sinks(found.sides)


def _due_ever(rows: DataFrame) -> int:
    from tvfc_runtime.intervals import FAILED  # noqa: PLC0415  NumPy comes with it

    return rows.where(f"__due < {FAILED}").count()


def _gone(operator: Operator) -> tuple[Verdict, str]:
    if operator.kind in WAITS_FOR_GOOD and operator.place.startswith("delay/"):
        return Verdict.LOST, "the new query has no place for the rows that it holds"
    return Verdict.CONVERTED, "the new query does not keep this"


def _title(operator: Operator) -> str:
    of = operator.output or operator.function
    return f"{operator.place} of {of}"


def _sizes(found: Takeover) -> dict[int, int]:
    place, version = found.status.place, found.batch + 1
    return {
        each.number: bytes_of(f"{place}/state/{each.number}", version, size_of)
        for each in found.sides.old.operators
    }


def _old_names(found: Takeover) -> dict[int, str]:
    """What the counters of the checkpoint call its operators, by their numbers."""
    written = [each.operator for each in described(found.status.place).holdings]
    own = [each for each in found.sides.old.operators if each.holding is not None]
    here = sorted((each.place for each in own), key=lambda name: int(name.rpartition("/")[2]))
    called = dict(zip(here, written, strict=True)) if len(here) == len(written) else {}
    return {each.number: called.get(each.place, each.place) for each in found.sides.old.operators}


def checkpoint_for(spark: SparkSession, found: Takeover, target: str) -> Wanted:
    """The checkpoint of the new query, with all state that it needs at hand.

    Raises:
        UpgradeError: a trial has failed.
    """
    stocks: dict[int, Stock] = {}
    held: Counter[str] = Counter()
    names, operators = _old_names(found), {}
    replay = None
    for each in found.sides.new.operators:
        fate = found.fates[each.number]
        if fate.verdict is Verdict.SAME and fate.old is not None:
            stocks[each.number] = Stock(found.status.place, fate.old.number, found.batch + 1)
            operators[each.place] = names[fate.old.number]
        elif fate.verdict is Verdict.NEEDS_HISTORY and found.history is not None:
            if replay is None:
                replay = replayed(spark, found.history, found.sides, found.folder / "replay")
            stocks[each.number] = Stock(replay.place, each.number, replay.version)
            held[each.place] = replay.held.get(each.place, 0)
        elif each.number in found.planned:
            stocks[each.number], held[each.place] = _converted(spark, found, each)
        else:
            stocks[each.number] = Stock(str(found.empty), each.number, 1)
    return Wanted(
        source=found.status.place,
        batch=found.batch,
        target=target,
        identity=found.sides.pair.new.identity(),
        stocks=stocks,
        leaves=(found.sides.old.leaves, found.sides.new.leaves),
        renamed=found.sides.pair.renamed,
        operators=operators,
        held=held,
        unlisted=found.unlisted,
        holdings=[e.holding for e in found.sides.new.operators if e.holding is not None],
    )


def _converted(spark: SparkSession, found: Takeover, operator: Operator) -> tuple[Stock, int]:
    """The state of a delay with rows that are planned anew, and how many these are."""
    folder = found.folder / f"converted{operator.number}"
    rows = found.planned[operator.number]
    files = str(folder / "rows")
    rows.coalesce(1).write.parquet(files)
    expected = _due_ever(spark.read.schema(rows.schema).parquet(files))
    if not expected:
        return Stock(str(found.empty), operator.number, 1), 0
    given = spark.readStream.schema(rows.schema).parquet(files)
    query = with_functions(
        found.sides.pair.new,
        lambda name, build: (lambda _: given) if name == operator.below else build,
    )
    place = str(folder / "checkpoint")
    job = StandIns(spark, folder).job(query, place)
    observed = run_what_is_there(job, query, found.last.facts["conf"])
    # All other sources are empty, so that no other delay takes rows.
    taken = [row for name, row in observed.items() if _DELAY.fullmatch(name)]
    held = sum(each["taken"] - each["released"] for each in taken)
    if held != expected:
        raise UpgradeError(f"TVF755: of {expected} rows {held} are held; please report this")
    return Stock(place, operator.number, 1), expected
