"""Groups of windows that overlap, out of panes: the frame of the operator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DataType, LongType, StructField, StructType

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.clock.era import with_state
from tvfc_runtime.over.operator import typed_keys
from tvfc_runtime.panes.calls import Planner
from tvfc_runtime.panes.grids import Cumulate, Grid, Hop
from tvfc_runtime.panes.operator import END, SHARD, START, TIME, PaneOperator, pack
from tvfc_runtime.panes.step import Rules
from tvfc_runtime.queue.released import count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows.hashes import hash_of
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.windows import time_of

MICROSECOND = timedelta(microseconds=1)


def hopping(slide: timedelta, size: timedelta, offset: timedelta = timedelta(0)) -> Grid:
    """The grid of HOP."""
    # A start beyond the slide means the same windows as one within it.
    return Hop(size // MICROSECOND, slide // MICROSECOND, (offset % slide) // MICROSECOND)


def growing(step: timedelta, size: timedelta) -> Grid:
    """The grid of CUMULATE."""
    return Cumulate(size // MICROSECOND, step // MICROSECOND)


def windows_of_panes(
    rows: DataFrame,
    time: str,
    grid: Grid,
    *,
    keys: Sequence[str],
    calls: Sequence[Call],
    later: timedelta,
    shards: int,
    observed_as: str,
) -> DataFrame:
    """Groups of a key and a window, each once the clock has closed the window.

    Args:
        rows: rows on time; those without a time are in no window.
        time: their time, Spark SQL.
        grid: the windows.
        keys: the other columns by which they are grouped.
        calls: aggregates of columns that `Planner` knows.
        later: by how much later than its end a window closes.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which it is counted by how many rows the state grows.

    Raises:
        AnalysisException: a key is a string with a collation, since keys are told apart by their
            bytes.
        ValueError: an aggregate is not known from panes.

    Returns:
        The keys, `window_start`, `window_end`, and the results of the calls under their names.
    """
    typed = typed_keys(rows, [quote(each) for each in keys], "windows in panes")
    planner = Planner(rows.schema)
    results = [planner.result(each).alias(each.name) for each in calls]
    named = [f"k{place}" for place in range(len(keys))]
    micros = F.unix_micros(time_of(time))
    # Beyond these no window has bounds that Spark can say.
    edge = grid.size + later // MICROSECOND
    selected = rows.select(
        _shard([typed[quote(each)] for each in keys], shards).alias(SHARD),
        micros.alias(TIME),
        *(F.col(quote(key)).alias(name) for key, name in zip(keys, named, strict=True)),
        *(F.expr(sql).alias(name) for sql, name in planner.inputs.items()),
    ).where(f"{TIME} BETWEEN {edge - 2**63} AND {2**63 - 1 - edge}")
    own = selected.select(*named).schema
    plain = to_plain(selected)
    kinds = [*plain.select(*named).schema, StructField(START, LongType())]
    kinds += [StructField(END, LongType())]
    kinds += [StructField(f"p{place}", kind) for place, kind in enumerate(planner.kinds)]
    given = StructType(kinds)
    form = form_of(given)
    rules = Rules(grid, tuple(named), tuple(planner.partials), later // MICROSECOND)
    packed = plain.mapInArrow(pack(rules, shard_keys(shards)), "shard INT, text STRING")
    found = with_state(packed, PaneOperator(rules, form), schema_of(form, given))
    found = found.observe(observed_as, count_taken().alias("rows"))
    whole = StructType([*own, *kinds[len(named) :]])
    back = from_plain(rows_of(form, found, given), whole)
    return back.select(
        *(F.col(name).alias(key) for key, name in zip(keys, named, strict=True)),
        F.timestamp_micros(START).alias("window_start"),
        F.timestamp_micros(END).alias("window_end"),
        *results,
    )


def _shard(keys: list[tuple[Column, DataType]], shards: int) -> Column:
    return F.pmod(hash_of(keys, 3), F.lit(shards)).cast("int") if keys else F.lit(0)
