"""How often a row of one changing relation is in the result, by how often it is in another.

DISTINCT, INTERSECT, EXCEPT, and the side of a join that has no partner. An update says in `__leg`
which relation it belongs to, 0 or 1; a row is in the result as often as its two counts tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.changing.hashed import find, portions, replace
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import AT, HASH
from tvfc_runtime.changing.ranks import Sort, group_codes
from tvfc_runtime.changing.rows import RowChanges, hash_of, pack_rows, without_minus_zero
from tvfc_runtime.changing.runs import Runs
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.changing.waves import runs_in_time
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.updates import DIFF, LEG, payload_of

Rule = Callable[[np.ndarray, np.ndarray], np.ndarray]

RULES: dict[str, Rule] = {
    "distinct": lambda rows, _: np.minimum(rows, 1),
    "intersect": lambda rows, others: np.minimum(np.minimum(rows, others), 1),
    "intersect_all": np.minimum,
    "except": lambda rows, others: np.where(others > 0, 0, np.minimum(rows, 1)),
    "except_all": lambda rows, others: np.maximum(rows - others, 0),
    "anti": lambda rows, others: np.where(others > 0, 0, rows),
    "semi": lambda rows, others: np.where(others > 0, rows, 0),
}
"""How often a row is in the result: from how often it is in relations 0 and 1.

For `anti` and `semi`, relation 1 has for each pair of a join the row of relation 0.
"""

COUNTS = ("n0", "n1")


def multiplicity(
    updates: DataFrame, rule: str, shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    """Rows as often as a rule says, as updates.

    Args:
        updates: rows with `__leg`, `__time` and `__diff`.
        rule: one of `RULES`.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told, and from when on.

    Returns:
        The rows, `__time` and `__diff`, which is any number but 0.
    """
    names = payload_of(updates)
    grouped = rule not in ("anti", "semi")
    columns = (without_minus_zero(updates, each) if grouped else F.col(each) for each in names)
    changes = updates.select(
        hash_of(updates, names).alias(HASH),
        timing.at().alias(AT),
        *(column.alias(name) for column, name in zip(columns, names, strict=True)),
        LEG,
        F.col(DIFF).cast("bigint").alias(DIFF),
    )
    types = StructType([updates.schema[name] for name in names])
    packing = pack_rows(by_leg, COUNTS, shard_keys(shards))
    operator = Multiplicity(COUNTS, rule, tuple(names))
    return operated(changes, packing, operator, types, observed_as, timing)


def by_leg(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with a count for each relation in place of the number of the relation."""
    leg, diff = rows.column(LEG).to_numpy(), rows.column(DIFF).to_numpy()
    columns = {name: rows.column(name) for name in rows.schema.names if name not in (LEG, DIFF)}
    columns |= {name: pa.array(np.where(leg == n, diff, 0)) for n, name in enumerate(COUNTS)}
    return pa.RecordBatch.from_pydict(columns)


@dataclass(frozen=True)
class Multiplicity(RowChanges):
    """`Operator` of a rule.

    Attributes:
        rule: its name.
        names: the columns of rows.
    """

    rule: str
    names: tuple[str, ...]

    def tables(self, store: Store) -> RowTable:
        """The state of one shard."""
        return RowTable(self.rule, self.names, store)


class RowTable:
    """Rows and how often each is in both relations, in a table by hash.

    Args:
        rule: one of `RULES`.
        names: the columns of rows.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(
        self, rule: str, names: tuple[str, ...], store: Store, most: int = LEAF_ROWS
    ) -> None:
        self._rule = RULES[rule]
        self._names = names
        self._leaves = Leaves(store, 0, (Sort(HASH),), most)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._leaves.rows

    def apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Change counts; yields rows with how much more often they are in the result."""
        codes, first = group_codes([change.column(name) for name in self._names], change.num_rows)
        rows = change.take(pa.array(first))
        for chosen in portions(self._leaves, rows):
            order, runs = runs_in_time(change, codes, chosen)
            yield self._apply(rows.take(pa.array(chosen)), change.take(pa.array(order)), runs)
            self._leaves.flush()

    def _apply(self, wanted: pa.RecordBatch, change: pa.RecordBatch, runs: Runs) -> pa.RecordBatch:
        """Change the counts of wanted rows; for each a run of changes, in order of time."""
        found = find(self._leaves, wanted, self._names)
        columns = {name: found.column(wanted, name) for name in self._names}
        known = [found.numbers(name) for name in COUNTS]
        more = [change.column(name).to_numpy() for name in COUNTS]
        after = [each[runs.run] + runs.sums(new) for each, new in zip(known, more, strict=True)]
        before = [each - new for each, new in zip(after, more, strict=True)]
        counts = {name: each[runs.ends - 1] for name, each in zip(COUNTS, after, strict=True)}
        rows = {HASH: wanted.column(HASH), **columns}
        rows |= {name: pa.array(each) for name, each in counts.items()}
        left = np.any(list(counts.values()), axis=0)
        replace(self._leaves, found, pa.RecordBatch.from_pydict(rows), left)
        diff = self._often(after) - self._often(before)
        changed = np.flatnonzero(diff)
        run = pa.array(runs.run[changed])
        emitted = {name: column.take(run) for name, column in columns.items()}
        emitted[AT] = change.column(AT).take(pa.array(changed))
        return pa.RecordBatch.from_pydict({**emitted, DIFF: pa.array(diff[changed], pa.int32())})

    def _often(self, counts: list[np.ndarray]) -> np.ndarray:
        """How often rows are in the result. Less than nothing is nothing."""
        return self._rule(*(np.maximum(each, 0) for each in counts))


def unit_updates(updates: DataFrame) -> DataFrame:
    """Updates with `__diff` of 1 and -1 alone: one of n as n updates."""
    times = F.explode(F.sequence(F.lit(1), F.abs(DIFF)))
    units = updates.select("*", times.alias("__times"))
    return units.withColumn(DIFF, F.signum(DIFF).cast("int")).drop("__times")
