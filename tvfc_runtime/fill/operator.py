"""The operator that fills windows without rows: groups come in once final, and leave with others.

    final groups --pack--> chunks by shard --transformWithState--> groups + those of empty windows

The state of a shard is the last group of each key. A group of an empty window leaves when the clock
closes that window; LINEAR waits for the next window with rows, whose values it goes to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    DataType,
    IntegralType,
    LongType,
    NumericType,
    StructField,
    StructType,
)

from tvfc_runtime.clock.era import with_state
from tvfc_runtime.fill.step import AT, END, STEP, STEPS, Rules, Step, joined, next_of
from tvfc_runtime.over.kept_rows import KeptRows
from tvfc_runtime.over.operator import pack
from tvfc_runtime.over.step import Stepped
from tvfc_runtime.queue.released import Form, count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows.collations import refuse_collations
from tvfc_runtime.rows.hashes import hash_of
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys

MICROSECOND = timedelta(microseconds=1)


def fill(
    rows: DataFrame,
    *,
    keys: Sequence[str],
    values: Sequence[str],
    how: str,
    size: timedelta,
    slide: timedelta | None,
    step: timedelta | None,
    starts: str | None,
    ends: str | None,
    later: timedelta,
    silence: timedelta | None,
    shards: int,
    observed_as: str,
) -> DataFrame:
    """Groups of windows, and groups of those windows of a key that have none.

    Args:
        rows: groups that are final, none of which comes before one of an earlier window.
        keys: columns of which each has windows of its own.
        values: columns that `how` says for windows without a group: `0`, `NULL`, `PREVIOUS` or
            `LINEAR`.
        how: see there.
        size: of a window.
        slide: from the start of a window to that of the next one; None: they do not overlap.
        step: by how much windows of one start grow up to the size; None: they do not.
        starts: the column with the start of the window, if there is one.
        ends: the column with its end, likewise.
        later: by how much later than its end a window is final.
        silence: how long after the last group of a key a window may end; None: for ever.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which it is counted by how many rows the state grows.

    Raises:
        AnalysisException: a value is no number, and is to be 0 or between two; or a key is a
            string with a collation, since keys are told apart by their bytes.
    """
    schema = rows.schema
    payload = [f"c{place}" for place in range(len(schema))]
    places = {name.lower(): place for place, name in enumerate(schema.names)}
    kinds = [field.dataType for field in schema]
    own = [places[name.lower()] for name in keys]
    filled = {places[name.lower()] for name in values}
    refuse_collations("FILL", {schema.names[place]: kinds[place] for place in own})
    _check_types(how, [kinds[place] for place in filled])
    typed = [(F.col(payload[place]), kinds[place]) for place in own]
    start, end = (None if name is None else places[name.lower()] for name in (starts, ends))
    marked = rows.toDF(*payload).select(
        "*",
        _end(start, end, size).alias(END),
        hash_of(typed, 1).alias("key"),
        hash_of(typed, 2).alias("other_key"),
        _shard(typed, shards).alias("shard"),
    )
    plain = to_plain(marked)
    inner = plain.schema.fields[: len(payload)]
    nexts = [each for place, each in enumerate(inner) if place in filled and how == "LINEAR"]
    more = [StructField(name, LongType()) for name in (STEP, STEPS, AT)]
    more += [StructField(next_of(each.name), each.dataType) for each in nexts]
    form = form_of(StructType([*inner, *more]))
    rules = Rules(
        size=(step or slide or size) // MICROSECOND,
        later=later // MICROSECOND,
        silence=None if silence is None else silence // MICROSECOND,
        payload=tuple(payload),
        nexts=tuple(each.name for each in nexts),
        waits=how == "LINEAR",
    )
    packed = plain.mapInArrow(pack(shard_keys(shards)), "shard INT, text STRING")
    operator = FillOperator(rules, form)
    found = with_state(packed, operator, schema_of(form, StructType([*inner, *more])))
    found = found.observe(observed_as, count_taken().alias("rows"))
    fields = StructType([*marked.schema.fields[: len(payload)], *more])
    back = from_plain(rows_of(form, found, StructType([*inner, *more])), fields)
    columns = {place: F.col(name) for place, name in enumerate(payload)}
    for place in filled:
        value = _VALUES[how](payload[place], kinds[place])
        columns[place] = F.when(F.col(STEP) == 0, columns[place]).otherwise(value)
    if start is not None:
        columns[start] = F.timestamp_micros(_start(size // MICROSECOND, grows=step is not None))
    if end is not None:
        columns[end] = F.timestamp_micros(F.col(AT))
    return back.select(*(columns[place].alias(name) for place, name in enumerate(schema.names)))


def _end(start: int | None, end: int | None, size: timedelta) -> Column:
    """When the window of a group ends, microseconds since the epoch; by the place of a bound."""
    if end is not None:
        return F.unix_micros(F.col(f"c{end}"))
    return F.unix_micros(F.col(f"c{start}")) + F.lit(size // MICROSECOND)


def _start(size: int, *, grows: bool) -> Column:
    """When a window starts, microseconds since the epoch; those that grow all at whole sizes."""
    if not grows:
        return F.col(AT) - F.lit(size)
    last = F.col(AT) - F.lit(1)
    return last - F.pmod(last, F.lit(size))


def _shard(keys: list[tuple[Column, DataType]], shards: int) -> Column:
    return F.pmod(hash_of(keys, 3), F.lit(shards)).cast("int") if keys else F.lit(0)


def _check_types(how: str, kinds: list[DataType]) -> None:
    for kind in kinds if how in ("0", "LINEAR") else ():
        if not isinstance(kind, NumericType):
            raise AnalysisException(
                f"FILL ({how}) needs numbers, and an aggregate is {kind.simpleString().upper()}; "
                "write FILL (NULL) or FILL (PREVIOUS)"
            )


def _between(name: str, kind: DataType) -> Column:
    """The value on the way from one group to the next, in its type: whole numbers are rounded."""
    before, after = F.col(name), F.col(next_of(name))
    if isinstance(kind, IntegralType):
        before, after = before.cast(_WHOLE), after.cast(_WHOLE)
    moved = before + (after - before) * F.col(STEP) / F.col(STEPS)
    return (F.round(moved, 0) if isinstance(kind, IntegralType) else moved).cast(kind)


_WHOLE = "DECIMAL(20, 0)"

_VALUES: dict[str, Callable[[str, DataType], Column]] = {
    "0": lambda _, kind: F.lit(0).cast(kind),
    "NULL": lambda _, kind: F.lit(None).cast(kind),
    "PREVIOUS": lambda name, _: F.col(name),
    "LINEAR": _between,
}


class FillOperator(KeptRows):
    """The last group of each key of one shard.

    Args:
        rules: what is filled, and until when.
        form: how rows leave.
    """

    def __init__(self, rules: Rules, form: Form) -> None:
        super().__init__(form)
        self._rules = rules

    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """New groups, and those of windows without rows that are closed."""
        rows = joined(known, new)
        if rows is None:
            return None
        found = Step(rows, self._rules, now)
        return Stepped(found.emitted(), found.kept(), found.next_time)
