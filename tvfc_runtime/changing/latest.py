"""The last row of each key: what a source of changes needs that does not say what a row was before.

    changes --pack--> the last change of each key, by shard --transformWithState--> updates

A change gives a key a row or takes it away. What the key had until then is withdrawn, with the
values that it came with. Several changes of a key in one batch are one: the rows in between are
there at no clock value. A change to what is there already, such as a snapshot that is read twice,
and the removal of a key that is not there change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.changing.hashed import find, portions, replace
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import AT, DIFF, HASH
from tvfc_runtime.changing.ranks import Sort, group_codes, ranks_of_words, words
from tvfc_runtime.changing.rows import WholeRows, hash_of, pack_by_shard
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.updates import TIME

GONE = "__gone"
"""Whether a change takes its key away, BOOLEAN; then only the key of the row counts."""

ORDER = "__order"
"""Where a change stands among those of its batch: a struct that compares as they came."""

PLACES = ("o0", "o1", "o2", "o3")
"""The fields of `ORDER` as the operator has them."""


def latest(
    changes: DataFrame, keys: Sequence[str], shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    """The last row of each key, as updates.

    Args:
        changes: rows with `__time`, `__gone` and `__order`.
        keys: the columns of the key; none of them is NULL.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told.

    Returns:
        The rows, `__time`, and `__diff` of -1 and 1.
    """
    names = [name for name in changes.columns if name not in (TIME, GONE, ORDER)]
    fields = changes.schema[ORDER].dataType.fieldNames()  # type: ignore[attr-defined]
    packed = changes.select(
        hash_of(changes, keys).alias(HASH),
        timing.at().alias(AT),
        *names,
        GONE,
        *(F.col(ORDER)[field].alias(o) for field, o in zip(fields, PLACES, strict=True)),
    )
    types = StructType([changes.schema[name] for name in names])
    operator = Latest(tuple(keys), tuple(names))
    packing = pack_by_shard(operator.last, shard_keys(shards))
    return operated(packed, packing, operator, types, observed_as, timing)


@dataclass(frozen=True)
class Latest(WholeRows):
    """`Operator` that keeps the last row of each key.

    Attributes:
        keys: the columns of the key.
        names: the columns of rows.
    """

    keys: tuple[str, ...]
    names: tuple[str, ...]

    def combine(self, changes: list[pa.RecordBatch]) -> pa.RecordBatch:
        """As one."""
        return self.last(chunks.concat(changes))

    def last(self, change: pa.RecordBatch) -> pa.RecordBatch:
        """Of several changes of a key the last one."""
        codes, first = group_codes([change.column(name) for name in self.keys], change.num_rows)
        if len(first) == change.num_rows:
            return change
        places = [word for name in PLACES for word in words(change.column(name))]
        order = np.argsort(ranks_of_words(places, change.num_rows), kind="stable")
        found = np.empty(len(first), dtype=np.int64)
        found[codes[order]] = order
        return change.take(pa.array(found))

    def tables(self, store: Store) -> LatestTable:
        """The state of one shard."""
        return LatestTable(self.keys, self.names, store)


class LatestTable:
    """The row of each key of a shard, in a table by hash.

    Args:
        keys: the columns of the key.
        names: the columns of rows.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(
        self, keys: tuple[str, ...], names: tuple[str, ...], store: Store, most: int = LEAF_ROWS
    ) -> None:
        self._keys = keys
        self._names = list(names)
        self._leaves = Leaves(store, 0, (Sort(HASH),), most)

    @property
    def rows(self) -> int:
        """How many keys have a row."""
        return self._leaves.rows

    def apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Change rows, one for a key; yields those that go and those that come."""
        for chosen in portions(self._leaves, change):
            yield self._apply(change.take(pa.array(chosen)))
            self._leaves.flush()

    def _apply(self, wanted: pa.RecordBatch) -> pa.RecordBatch:
        found = find(self._leaves, wanted, self._keys)
        size = 0 if found.known is None else found.known.num_rows
        new = size + np.arange(wanted.num_rows)
        rows = wanted.select([HASH, *self._names])
        both = rows if found.known is None else chunks.concat([found.known, rows])
        codes, _ = group_codes([both.column(name) for name in self._names], both.num_rows)
        there, gone = found.at >= 0, _flags(wanted.column(GONE))
        same = there & ~gone & (codes[np.where(there, found.at, new)] == codes[new])
        # What is equal may look different, such as 0.0 and -0.0: it goes as it came.
        kept = both.take(pa.array(np.where(same, found.at, new)))
        replace(self._leaves, found, kept, ~gone)
        goes, comes = np.flatnonzero(there & ~same), np.flatnonzero(~gone & ~same)
        told = both.take(pa.array(np.concatenate([found.at[goes], new[comes]])))
        at = wanted.column(AT).take(pa.array(np.concatenate([goes, comes])))
        diff = np.repeat(np.array([-1, 1], dtype=np.int32), [len(goes), len(comes)])
        columns = {name: told.column(name) for name in self._names}
        return pa.RecordBatch.from_pydict({**columns, AT: at, DIFF: pa.array(diff)})


def _flags(values: pa.Array) -> np.ndarray:
    found: np.ndarray = values.to_numpy(zero_copy_only=False)
    return found.astype(bool)
