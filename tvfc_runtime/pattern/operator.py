"""MATCH_RECOGNIZE on Spark's state store: rows that the clock has closed in, matches out.

    closed rows --pack--> chunks by shard --transformWithState--> matches

A partition of the pattern is in one shard. Rows must be closed when they come, those of one time in
one batch, and batches in order of time.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
from pyspark.sql.types import StructField, StructType

from tvfc_runtime.clock.era import with_state
from tvfc_runtime.over.kept_rows import KeptRows
from tvfc_runtime.over.operator import pack, parsed, typed_keys
from tvfc_runtime.over.step import Stepped
from tvfc_runtime.pattern.folds import OverflowedError
from tvfc_runtime.pattern.kinds import FailedMatchError, NotComputedError
from tvfc_runtime.pattern.measured import place_in, type_of
from tvfc_runtime.pattern.search import TooManyStepsError
from tvfc_runtime.pattern.spec import Matching
from tvfc_runtime.pattern.step import Column, Directions, Matcher
from tvfc_runtime.queue.released import Form, count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows.hashes import hash_of, hashable
from tvfc_runtime.rows.intervals import FAILED, FOREVER
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys


def matches(
    rows: DataFrame,
    matching: Matching,
    time: SparkColumn,
    closes: SparkColumn,
    ends: SparkColumn | None,
    shards: int,
    observed_as: str,
) -> DataFrame:
    """Matches, each when it is final.

    Args:
        rows: closed rows.
        matching: what is looked for.
        time: a TIMESTAMP, by which rows are in order.
        closes: when a row closes, milliseconds since the epoch.
        ends: when no more rows can come of a match that begins with a row, likewise; None: never.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which it is counted by how many rows the state grows.

    Raises:
        AnalysisException: a key is a string with a collation; the operator compares bytes.
        FailedMatchError: conditions compute with values of types that they do not compute with.

    Returns:
        The columns of `matching.output`, and the measures.
    """
    names = rows.columns
    payload = [f"c{place}" for place in range(len(names))]
    sorts = [parsed(each) for each in matching.order]
    keys_and_sorts = [*matching.partition, *(each for each, _, _ in sorts)]
    typed = typed_keys(rows, keys_and_sorts, "MATCH_RECOGNIZE")
    keys = [typed[each] for each in matching.partition]
    inner = [
        closes.alias("closes"),
        F.unix_micros(time).alias("time"),
        F.coalesce(F.lit(None) if ends is None else ends, F.lit(FOREVER)).alias("ends"),
        hash_of(keys, 1).alias("key"),
        hash_of(keys, 2).alias("other_key"),
        F.pmod(hash_of(keys, 3), F.lit(shards)).cast("int").alias("shard"),
        *(typed[each][0].alias(f"order_{n}") for n, (each, _, _) in enumerate(sorts)),
    ]
    schema = rows.schema
    marked = rows.select("*", *inner)
    marked = marked.toDF(*payload, *marked.columns[len(payload) :]).where(f"closes <> {FAILED}")
    told = [(F.col(payload[place]), schema[place].dataType) for place in hashable(schema)]
    marked = marked.withColumn("tie", hash_of(told, 0))
    plain = to_plain(marked)
    columns = {each.name: Column(n, each.dataType) for n, each in enumerate(schema)}
    measured = _measures(matching, schema)
    own = StructType([*(schema[name] for name in matching.output), *measured])
    # What is taken from rows is carried by Arrow as the rows are.
    taken = {name: plain.schema[column.name].dataType for name, column in columns.items()}
    carried = [taken[name] for name in matching.output]
    kinds: list[pa.DataType] = []
    for measure, each in zip(matching.measures.values(), measured, strict=True):
        column = place_in(measure)
        carried.append(each.dataType if column is None else taken[column])
        kinds.append(to_arrow_type(each.dataType) if column is None else pa.null())
    emitted = StructType([StructField(f"c{n}", each) for n, each in enumerate(carried)])
    directions = tuple(each[1:] for each in sorts)
    _check(matching, columns, kinds, directions)
    form = form_of(emitted)
    packed = plain.mapInArrow(pack(shard_keys(shards)), "shard INT, text STRING")
    operator = MatchOperator(matching, columns, kinds, directions, form)
    given = with_state(packed, operator, schema_of(form, emitted))
    given = given.observe(observed_as, count_taken().alias("rows"))
    found = rows_of(form, given, emitted)
    plain_own = StructType([StructField(f"c{n}", each.dataType) for n, each in enumerate(own)])
    return from_plain(found, plain_own).toDF(*own.names)


def _measures(matching: Matching, schema: StructType) -> list[StructField]:
    types = {each.name: each.dataType for each in schema}
    try:
        return [StructField(n, type_of(each, types)) for n, each in matching.measures.items()]
    except NotComputedError as error:
        raise FailedMatchError(f"TVF718: {error}") from None


def _check(
    matching: Matching,
    columns: dict[str, Column],
    kinds: list[pa.DataType],
    directions: Directions,
) -> None:
    """Refuse conditions over types that are not computed, before anything runs."""
    try:
        Matcher(matching, columns, kinds, directions)
    except NotComputedError as error:
        raise FailedMatchError(f"TVF718: {error}") from None


class MatchOperator(KeptRows):
    """The rows of one shard that wait or are looked back at.

    Args:
        matching: what is looked for.
        columns: the columns of the rows, by name.
        measures: the Arrow types of the measures; of those that stand in a row, any.
        directions: of the sort keys.
        form: how rows leave.
    """

    def __init__(
        self,
        matching: Matching,
        columns: dict[str, Column],
        measures: list[pa.DataType],
        directions: Directions,
        form: Form,
    ) -> None:
        super().__init__(form)
        self._given = matching, columns, measures, directions

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state; the matcher is made ready where it runs."""
        super().open(handle, state)
        self._matcher = Matcher(*self._given)

    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """Matches that are final.

        Raises:
            FailedMatchError: they are too many to look for, or a value is out of range.
        """
        try:
            return self._matcher.step(known, new, now)
        except TooManyStepsError:
            raise FailedMatchError(
                "TVF719: the pattern of a MATCH_RECOGNIZE has too many ways over the rows of one "
                "partition: give it WITHIN, or conditions that read fewer rows"
            ) from None
        except OverflowedError as error:
            raise FailedMatchError(f"TVF720: {error}") from None
