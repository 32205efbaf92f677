"""What is known of the rows of sessions: of one row, of sessions that are put together, at the end.

Each partial aggregate is one or more columns, with a value for each session: a count, a sum of
whole numbers in limbs (see changing/exact.py), a sum of doubles, or the least or greatest value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType, StructType

from tvfc_runtime.changing.calls import Call, Count, Planner, Real, Result, Whole
from tvfc_runtime.changing.exact import carried, limbs_of
from tvfc_runtime.changing.ranks import ranks_of_words, words
from tvfc_runtime.changing.results import Groups, evaluate

INT64_MAX = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Extreme:
    """The least or the greatest value of an input; NULL if it has none."""

    input: str
    greatest: bool


Partial = Count | Whole | Real | Extreme


@dataclass(frozen=True)
class Plan:
    """What the operator must know, for its workers.

    Attributes:
        keys: the number of key columns, `k0`, `k1`, …
        partials: what is kept of a session.
        results: how each result is computed, by the numbers of its partials.
    """

    keys: int
    partials: tuple[Partial, ...]
    results: tuple[Result, ...]

    @property
    def key_names(self) -> list[str]:
        """The key columns."""
        return [f"k{place}" for place in range(self.keys)]


def planned(
    keys: int, calls: Sequence[Call], rows: StructType, kinds: Sequence[DataType]
) -> tuple[Plan, dict[str, str]]:
    """What is kept for calls, and the inputs that it is made of, by their SQL.

    Args:
        keys: the number of keys.
        calls: what is called.
        rows: the schema of the rows.
        kinds: the types of the results.
    """
    planner = Planner(rows, sums=[])
    results = [planner.result(call, kind) for call, kind in zip(calls, kinds, strict=True)]
    partials: list[Partial] = [*planner.sums]
    found = []
    for result in results:
        if result.bag is not None:
            (name,) = planner.bags[result.bag].inputs
            partials.append(Extreme(name, result.function == "max"))
            result = Result(result.function, (len(partials) - 1,))
        found.append(result)
    return Plan(keys, tuple(partials), tuple(found)), planner.inputs


def names_of(plan: Plan) -> list[list[str]]:
    """What the columns of each partial are called."""
    return [
        [
            f"p{number}_{place}"
            for place in range(partial.limbs if isinstance(partial, Whole) else 1)
        ]
        for number, partial in enumerate(plan.partials)
    ]


def of_rows(plan: Plan, rows: pa.RecordBatch) -> Iterator[pa.Array]:
    """The columns of all partials, each row a session of its own."""
    for partial in plan.partials:
        match partial:
            case Count(inputs=inputs):
                there = np.ones(rows.num_rows, dtype=np.int64)
                for name in inputs:
                    column = rows.column(name)
                    if column.null_count:
                        there &= column.is_valid().to_numpy(zero_copy_only=False)
                yield pa.array(there)
            case Whole(input=name):
                yield from map(pa.array, limbs_of(rows.column(name)))
            case Real(input=name):
                yield rows.column(name).fill_null(0.0)
            case Extreme(input=name):
                yield rows.column(name)


def put_together(
    plan: Plan, columns: Sequence[Sequence[pa.Array]], firsts: np.ndarray
) -> Iterator[pa.Array]:
    """The columns of all partials of sessions out of those of their parts, which stand together.

    Args:
        plan: what is kept.
        columns: the columns of each partial.
        firsts: where the parts of each session begin.
    """
    for partial, own in zip(plan.partials, columns, strict=True):
        if isinstance(partial, Extreme):
            yield _extreme(own[0], firsts, greatest=partial.greatest)
            continue
        added = [np.add.reduceat(column.to_numpy(), firsts) for column in own]
        yield from map(pa.array, carried(added) if isinstance(partial, Whole) else added)


def _extreme(values: pa.Array, firsts: np.ndarray, *, greatest: bool) -> pa.Array:
    """The least or greatest value of each run."""
    if values.null_count == len(values):
        return values.take(pa.array(firsts))
    parts = words(values)
    rank = parts[0] if len(parts) == 1 else ranks_of_words(parts, len(values))
    if values.null_count and not greatest:
        # NULL has the least rank.
        rank = np.where(values.is_null().to_numpy(zero_copy_only=False), INT64_MAX, rank)
    best = (np.maximum if greatest else np.minimum).reduceat(rank, firsts)
    sizes = np.diff(firsts, append=len(rank))
    run = np.repeat(np.arange(len(firsts)), sizes)
    found = np.flatnonzero(rank == best[run])
    return values.take(pa.array(found[np.diff(run[found], prepend=-1) > 0]))


def results_of(plan: Plan, columns: Sequence[Sequence[pa.Array]]) -> Iterator[pa.Array]:
    """The results of sessions out of the columns of their partials."""
    groups = Groups(columns, (), ())
    for result in plan.results:
        partials = [plan.partials[number] for number in result.sums]
        if isinstance(partials[0], Extreme):
            yield columns[result.sums[0]][0]
        elif isinstance(partials[-1], Real):
            yield _of_doubles(result, columns)
        else:
            yield evaluate(result, groups)


def _of_doubles(result: Result, columns: Sequence[Sequence[pa.Array]]) -> pa.Array:
    count, total = (columns[number][0].to_numpy() for number in result.sums[:2])
    none = count == 0
    if result.function == "avg":
        total = total / np.where(none, 1, count)
    return pa.array(total, mask=none)
