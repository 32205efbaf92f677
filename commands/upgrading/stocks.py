"""The checkpoint of a new query: for each operator the state that it is to begin with."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from commands.upgrading.assembly import Stock, Wanted
from commands.upgrading.compare import Verdict, is_last_delay
from commands.upgrading.parts import due_ever, names_in_counters
from commands.upgrading.queries import UpgradeError
from commands.upgrading.replay import replayed
from commands.upgrading.stand_ins import StandIns, with_functions
from commands.upgrading.trial import run_what_is_there

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from commands.upgrading.anatomy import Operator
    from commands.upgrading.takeover import Takeover

_DELAY = re.compile(r"tvfc/delay/\d+")
"""The observation of a delay that gives its rows to a sink."""


def checkpoint_for(spark: SparkSession, found: Takeover, target: str) -> Wanted:
    """The checkpoint of the new query, with all state that it needs at hand.

    Raises:
        UpgradeError: a trial has failed.
    """
    stocks: dict[int, Stock] = {}
    held: Counter[str] = Counter()
    names, operators = names_in_counters(found), {}
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
    expected = due_ever(spark.read.schema(rows.schema).parquet(files))
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
    # All sources are empty, so that other delays take no rows but of the same function.
    taken = [row for name, row in observed.items() if _DELAY.fullmatch(name)]
    held = sum(each["taken"] - each["released"] for each in taken)
    delays = sum(
        each.below == operator.below and is_last_delay(each) for each in found.sides.new.operators
    )
    if held != expected * delays:
        raise UpgradeError(f"TVF755: of {expected} rows {held} are held; please report this")
    return Stock(place, operator.number, 1), expected
