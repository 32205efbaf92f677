"""What a generated job does with rows that come and go; the part of `Job` that is about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property, reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, StructField

from tvfc_runtime.changing.aggregate import aggregate
from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.joins import join, keyed
from tvfc_runtime.changing.latest import GONE, ORDER, latest
from tvfc_runtime.changing.multiplicity import multiplicity, unit_updates
from tvfc_runtime.changing.partitions import WindowFunction, whole_partitions, with_functions
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.changing.temporal import temporal_updates
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.changing.top import Wanted, top
from tvfc_runtime.clock.of_batch import newest_batch
from tvfc_runtime.counters.holdings import Held, Holding
from tvfc_runtime.counters.progress import PREFIX
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows.collations import refuse_collations
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.rows.updates import DIFF, LEG, TIME, by_name, numbered, payload_of
from tvfc_runtime.sources.first_batch import FIRST_BATCH, first_batch
from tvfc_runtime.temporal.operator import VALID, temporal
from tvfc_runtime.temporal.validity import since, with_validity

PROC_TIME = "__proc_time"
"""When a row arrived: the time of its micro-batch, the same when the batch is replayed."""
UNTIL = "__until"
"""When a row changes no more."""

PARTITIONS = "spark.sql.shuffle.partitions"


class ChangingJob(ABC):
    """Changing relations in the frame of one streaming query; see changing/.

    They are updates: rows with `__time`, milliseconds since the epoch, and `__diff`.
    """

    spark: SparkSession
    checkpoint: str
    _places: Iterator[int]
    _has_ticks: bool
    _output: str
    _from_start: Callable[[str, DataFrame], DataFrame]
    held: list[Holding]

    @abstractmethod
    def clock(self) -> Column:
        """W(N) in milliseconds since the epoch."""

    @abstractmethod
    def _once(self, name: str, build: Callable[[], DataFrame]) -> DataFrame:
        """The frame of a name; Spark reads one frame once, however often a query names it."""

    def _first_row(self) -> DataFrame:
        """An update that changes nothing, in the first batch of the query.

        It makes the group of all rows, which is there without any; and that batch, too.
        """
        first = self._once(FIRST_BATCH, lambda: first_batch(self.spark, self.checkpoint))
        return first.select(F.lit(0).alias(DIFF))

    def temporal(self, rows: DataFrame) -> DataFrame:
        """Rows while the clock is in one of their intervals: a changelog.

        Args:
            rows: with a column `__valid`, see temporal.py; if they are a changelog themselves,
                with `__time` and `__diff`, see changing/temporal.py.

        Returns:
            The other columns, then `__time` in milliseconds since the epoch, and `__diff`.
        """
        held, payload = numbered(rows, (VALID, TIME, DIFF))
        if DIFF in rows.columns:
            return self._temporal_updates(held, payload).toDF(*payload, TIME, DIFF)
        place = f"{PREFIX}/temporal/{next(self._places)}"
        self._hold(place, "temporal", payload, held.schema)
        shards, history = self._shards, not self._has_ticks
        found = temporal(held, self.checkpoint, shards, place, history=history)
        return found.toDF(*payload, TIME, DIFF)

    def _temporal_updates(self, updates: DataFrame, payload: Sequence[str]) -> DataFrame:
        place = f"{PREFIX}/changing/{next(self._places)}"
        self._hold(place, "pending", payload, updates.schema)
        shards, history = self._shards, not self._has_ticks
        return temporal_updates(updates, self.checkpoint, shards, place, history=history)

    def updates(self, rows: DataFrame) -> DataFrame:
        """Rows as they come and go, with `__time` and `__diff`, by what they carry of the clock."""
        if DUE in rows.columns:
            rows = with_validity(rows)
        if VALID in rows.columns:
            return self.temporal(rows)
        if DIFF in rows.columns:
            return rows
        return rows.withColumns({TIME: self.clock(), DIFF: F.lit(1)})

    def changelog(
        self, rows: DataFrame, every: timedelta | None = None, until: Column | None = None
    ) -> DataFrame:
        """What a sink is given of rows that come and go: `_time`, and `_diff` +1 or -1.

        With `every`, at multiples of it alone, net of what cancels out in between. With `until`,
        milliseconds since the epoch, of the rows' last column, which is not for the sink: a row
        does not go then, when it changes no more, but stays.
        """
        changes = self.updates(rows)
        if until is not None:
            changes = changes.where(F.col(TIME) < until).drop(UNTIL)
        updates = unit_updates(changes if every is None else self._throttled(changes, every))
        payload = payload_of(updates)
        plain = [f"c{number}" for number in range(len(payload))]
        times = (F.timestamp_millis(TIME).alias("_time"), F.col(DIFF).alias("_diff"))
        found = updates.toDF(*plain, TIME, DIFF).select(*plain, *times)
        return found.toDF(*payload, "_time", "_diff")

    def _throttled(self, updates: DataFrame, every: timedelta) -> DataFrame:
        """Updates at the first multiple of a time from their own on, once the clock has passed it.

        What comes while the clock is there belongs to it, too. What came before there was a clock
        is of the last multiple before its first value.
        """
        step = every // timedelta(milliseconds=1)
        boundary = F.expr(f"({TIME} + {step - 1}) div {step} * {step}")
        start = F.coalesce(boundary + 1, F.lit(FIRST_CLOCK_VALUE))
        told = self.temporal(updates.withColumn(VALID, since(start)))
        return told.withColumn(TIME, F.expr(f"({TIME} - 1) div {step} * {step}"))

    def appended(self, rows: DataFrame) -> DataFrame:
        """What a sink is given of rows that come and never go: the rows."""
        return unit_updates(self.updates(rows)).drop(TIME, DIFF)

    def changes(self, rows: DataFrame) -> DataFrame:
        """Rows of a source of changes that tell themselves which go, by `__diff`, as updates.

        They come and go at the clock of their arrival.
        """
        timed = rows.drop(PROC_TIME).withColumn(TIME, self.clock())
        if DIFF not in timed.columns:
            return timed
        # Other relations of updates have these columns in this order.
        return timed.select(*map(quote, payload_of(timed)), TIME, DIFF)

    def from_start(self, name: str, rows: DataFrame) -> DataFrame:
        """The rows of a table, which are there from the start, as changes; see from_start.py.

        Args:
            name: tells them from those of other tables of the query.
            rows: the table as it is now.
        """
        refuse_collations("rows of a table that are there from the start", _all_types(rows))
        return self._once(f"from start/{name}", lambda: self._from_start(name, rows))

    def latest(self, rows: DataFrame, *, key: Sequence[str]) -> DataFrame:
        """The last row of each key of a source of changes, as updates; see changing/latest.py.

        Args:
            rows: its changes, with `__gone` and `__order`; they count from the clock of their
                arrival.
            key: the columns of the key.
        """
        changes = self.changes(rows)
        refuse_collations("rows with a PRIMARY KEY", _types(changes, key))
        plain, payload = numbered(changes, (TIME, GONE, ORDER))
        number = by_name(payload)
        places, own = [number[name] for name in key], self._changing(Timing())
        self._hold(own["observed_as"], "last rows", payload, plain.select(*number.values()).schema)
        return latest(plain, places, **own).toDF(*payload, TIME, DIFF)

    def aggregate(
        self,
        updates: DataFrame,
        keys: Sequence[str],
        *calls: Call,
        per_batch: bool = False,
        grows: bool = False,
    ) -> DataFrame:
        """Groups of a changing relation and what is aggregated in them; see changing/aggregate.py.

        Args:
            updates: rows with `__time` and `__diff`.
            keys: key columns; none: one group.
            calls: calls of aggregate functions on columns.
            per_batch: whether only the answer at the end of a batch counts.
            grows: whether rows come and never go.
        """
        if not keys:
            updates = updates.unionByName(self._first_row(), allowMissingColumns=True)
        compared = (*keys, *(name for each in calls for name in each.compared))
        refuse_collations("groups of rows that come and go", _types(updates, compared))
        plain, names = numbered(updates)
        number = by_name(names)
        calls = tuple(each.renamed(number) for each in calls)
        timing = Timing(per_batch=per_batch)
        places, own = [number[key] for key in keys], self._changing(timing)
        kinds = [plain.schema[each].dataType for each in places]
        in_state = [StructField(f"k{number}", kind) for number, kind in enumerate(kinds)]
        self._hold(own["observed_as"], "totals", keys, in_state)
        found = aggregate(plain, places, calls, **own, grows=grows)
        return found.toDF(*keys, *found.columns[len(keys) :])

    def multiplicity(
        self,
        rows: DataFrame,
        *others: DataFrame,
        rule: str,
        per_batch: bool = False,
        waits: bool = False,
    ) -> DataFrame:
        """Rows of a changing relation, as often as a rule says; see changing/multiplicity.py.

        Args:
            rows: rows with `__time` and `__diff`.
            others: those of another relation, columns by position.
            rule: how often a row is in the result, by how often it is in each.
            per_batch: whether only the answer at the end of a batch counts.
            waits: whether nothing comes before the first clock value; see changing/timing.py.
        """
        legs = [each.withColumn(LEG, F.lit(leg)) for leg, each in enumerate((rows, *others))]
        both = reduce(DataFrame.union, legs)
        if rule not in ("anti", "semi"):
            refuse_collations("sets of rows", _types(both, payload_of(both)))
        timing = Timing(per_batch=per_batch, waits=waits)
        plain, payload = numbered(both)
        own = self._changing(timing)
        self._hold(own["observed_as"], "multiplicity", payload, plain.schema)
        return multiplicity(plain, rule, **own).toDF(*payload, TIME, DIFF)

    def join(
        self,
        left: DataFrame,
        right: DataFrame,
        *,
        on: Sequence[tuple[str, str]],
        how: str = "inner",
        per_batch: bool = False,
        waits: bool = False,
    ) -> DataFrame:
        """A join of two changing relations by equal keys; see changing/joins.py.

        Args:
            left: rows with `__time` and `__diff`.
            right: those of the other relation.
            on: for each key, what it is on either side, in SQL; a pair has no NULL in them.
            how: `inner`, `left`, `right`, `full`, `leftsemi` or `leftanti`.
            per_batch: whether only the answer at the end of a batch counts.
            waits: whether nothing comes before the first clock value; see changing/timing.py.
        """
        updates, joined = keyed(left, right, on, how)
        kinds = _types(updates, joined.keys[: len(on)]).values()
        own = dict(zip((one for one, _ in on), kinds, strict=True))
        refuse_collations("joins of rows that come and go", own)
        names = [*payload_of(left), *(payload_of(right) if joined.gives_pairs else ())]
        changing = self._changing(Timing(per_batch=per_batch, waits=waits))
        sides = zip(joined.sides, (payload_of(left), payload_of(right)), strict=True)
        pairs = [pair for side, payload in sides for pair in zip(side, payload, strict=True)]
        in_state = [updates.schema[name] for name, _ in pairs]
        self._hold(changing["observed_as"], "join", [name for _, name in pairs], in_state)
        return join(updates, joined, **changing).toDF(*names, TIME, DIFF)

    def top(
        self,
        updates: DataFrame,
        *,
        partition: Sequence[str] = (),
        order: Sequence[Sort],
        limit: int | None = None,
        offset: int = 0,
        kind: str = "row_number",
        number_column: str | None = None,
        per_batch: bool = False,
    ) -> DataFrame:
        """The first rows of each group of a changing relation; see changing/top.py.

        Args:
            updates: rows with `__time` and `__diff`.
            partition: columns of a group; none: one group.
            order: columns to sort by.
            limit: how many; None: all.
            offset: how many to leave out before.
            kind: what counts: `row_number`, `rank` or `dense_rank`.
            number_column: what to call the number of a row; None: it is not wanted.
            per_batch: whether only the answer at the end of a batch counts.
        """
        compared = (*partition, *(each.name for each in order))
        refuse_collations("first rows", _types(updates, compared))
        plain, payload = numbered(updates)
        number = by_name(payload)
        wanted = Wanted(
            partition=tuple(number[name] for name in partition),
            order=tuple(replace(each, name=number[each.name]) for each in order),
            limit=limit,
            offset=offset,
            kind=kind,
            numbered=number_column is not None,
        )
        names = [*payload, *([] if number_column is None else [number_column])]
        own = self._changing(Timing(per_batch=per_batch))
        self._hold(own["observed_as"], "first rows", payload, plain.schema)
        return top(plain, wanted, **own).toDF(*names, TIME, DIFF)

    def windows(
        self,
        updates: DataFrame,
        *functions: WindowFunction,
        partition: Sequence[str] = (),
        order: Sequence[Sort] = (),
        per_batch: bool = False,
    ) -> DataFrame:
        """Window functions over a changing relation; see changing/partitions.py.

        Args:
            updates: rows with `__time` and `__diff`.
            functions: what is computed of the rows of a partition.
            partition: columns of a partition; none: all rows are one.
            order: columns to sort by; rows that are equal in them stand by their other columns.
            per_batch: whether only the answer at the end of a batch counts.
        """
        compared = (*partition, *(each.name for each in order))
        refuse_collations("window functions", _types(updates, compared))
        plain, payload = numbered(updates)
        number = by_name(payload)
        places = [number[name] for name in partition]
        own = self._changing(Timing(per_batch=per_batch))
        self._hold(own["observed_as"], "partitions", payload, plain.schema)
        rows = whole_partitions(plain, places, **own).toDF(*payload, TIME, DIFF)
        return with_functions(rows, functions, partition, order, self._shards)

    def _hold(
        self, place: str, kind: str, payload: Sequence[str], fields: Iterable[StructField]
    ) -> None:
        """Note what an operator holds: fields, and what those are called that are no own ones."""
        own = [each for each in fields if each.name not in (VALID, TIME, DIFF, LEG, DUE)]
        columns = tuple(
            Held(field.name, name, field.dataType) for field, name in zip(own, payload, strict=True)
        )
        self.held.append(Holding(place.partition("/")[2], kind, self._output, columns))

    def _changing(self, timing: Timing) -> dict[str, Any]:
        """What all operators on changing relations are given."""
        return {
            "shards": self._shards,
            "observed_as": f"{PREFIX}/changing/{next(self._places)}",
            "timing": timing,
        }

    @cached_property
    def _shards(self) -> int:
        """How many shards state has: as many as Spark has partitions, in this query from now on.

        Spark goes on with the number that it has noted in the checkpoint, whatever the session
        says now. A key must be found in the shard in which it was put.
        """
        newest = newest_batch(self.checkpoint)
        noted = None if newest is None else newest["conf"].get(PARTITIONS)
        return int(noted or self.spark.conf.get(PARTITIONS) or 1)


def _all_types(rows: DataFrame) -> dict[str, DataType]:
    return {field.name: field.dataType for field in rows.schema.fields}


def _types(rows: DataFrame, names: Iterable[str]) -> dict[str, DataType]:
    """The types of some columns."""
    kinds = {field.name.lower(): field.dataType for field in rows.schema.fields}
    return {name: kinds[name.lower()] for name in names}
