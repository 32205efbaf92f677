"""One query in place of another: where the state of each of its operators comes from."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commands.inside.state_store import Texts, read_state
from commands.upgrading.anatomy import anatomy
from commands.upgrading.compare import (
    Fate,
    Sides,
    Verdict,
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
from commands.upgrading.queries import UpgradeError
from commands.upgrading.replay import History, history_of
from commands.upgrading.stand_ins import StandIns
from commands.upgrading.trial import NO_OFFSET, Planned, planned_of, run_planned
from tvfc_runtime.checkpoint.storage import list_names, list_numbers, read_bytes, read_text
from tvfc_runtime.clock.of_batch import clock_ms

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from commands.upgrading.anatomy import Operator
    from commands.upgrading.queries import Query
    from tvfc_runtime.reports.query_status import QueryStatus


@dataclass(frozen=True)
class Takeover:
    """A new query, the checkpoint that it is to follow, and what becomes of what is in there.

    Attributes:
        status: what the checkpoint says of itself.
        batch: the last batch that is done.
        last: that batch in the offset log.
        sides: the two queries.
        fates: where the state of each operator comes from, by its number.
        history: what is replayed for those operators that need it; None: nothing is.
        planned: rows that are held as they are to be held, by number of the operator.
        empty: a checkpoint of the new query after one batch without rows.
        folder: where trials may lie.
        unlisted: folders of files for which Spark has no log yet.
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
    unlisted: list[str]

    @property
    def clock_ms(self) -> int:
        """The clock of the last batch, milliseconds since the epoch; 0: it has no value."""
        return clock_ms(int(self.last.facts["batchWatermarkMs"]))


def takeover(
    spark: SparkSession, status: QueryStatus, queries: tuple[Query, Query], folder: Path
) -> Takeover:
    """Find out what becomes of the parts of a query; nothing is written but in `folder`.

    Args:
        spark: a session.
        status: what the checkpoint says of itself.
        queries: its query, and the one that is to follow it.
        folder: a new folder, for trials.

    Raises:
        UpgradeError: that cannot be told.
    """
    old, new = queries
    place, batch = status.place, status.batch
    if batch < 0:
        raise UpgradeError(f"TVF755: {place} has no batch that is done; start the new query anew")
    if old.spec.sessions != new.spec.sessions:
        raise UpgradeError(
            "TVF755: only one of the queries has sessions, for which Spark's clock is set "
            "otherwise; start the new query on a checkpoint of its own"
        )
    if any(each.get("operator") == "rows of a table" for each in (*old.parts, *new.parts)):
        raise UpgradeError(
            "TVF755: one of the queries has rows of a table that are there from the start; what "
            "another query has been told of them is not known; start the new query on a checkpoint "
            "of its own"
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
    return _with_history(found)


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
        return moved(pair, conversion, held, by)


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
