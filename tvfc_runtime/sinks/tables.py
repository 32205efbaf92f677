"""Sinks that are tables: rows for good, changes as rows, or a row for each key, in Arrow.

A batch and its number go into a table in one transaction of the table's own, so that a batch that
is run again does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from tvfc_runtime.checkpoint.storage import exists, query_id
from tvfc_runtime.sinks.arrow_pieces import Pieces, in_pieces
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.json_text import json_text
from tvfc_runtime.sinks.net import SAME, NetChanges, net_changes, net_growth

if TYPE_CHECKING:
    from tvfc_runtime.spec.job import Output

UPDATE = ("_time", "_diff")
"""The last two columns of a result that changes: when it did, and +1 or -1."""


@dataclass(frozen=True, kw_only=True)
class SinkTable:
    """What a sink has to know of its table.

    Attributes:
        sink: the sink's name in the query.
        columns: the columns of its rows; without a key, those of a result that changes, too.
        key: those of its key, named as in `columns`; none: rows are appended.
        options: OPTIONS of the sink, names in small letters.
    """

    sink: str
    columns: StructType
    key: tuple[str, ...]
    options: Mapping[str, str] = field(repr=False)

    @property
    def is_shared(self) -> bool:
        """Whether rows of other queries may be there, too."""
        return not self.key and self.options.get("shared", "false").lower() == "true"


class TableSink(Protocol):
    """A table that takes batches of Arrow.

    An object is plain data: it is sent to where batches are written, and opens what it needs in
    each. In the rows that it gets, columns are called c0, c1, … by their places in
    `SinkTable.columns`.
    """

    def check(self, query: str | None) -> None:
        """See, before the query starts, that it may write here.

        Args:
            query: the id of the streaming query; None: it is a new one.

        Raises:
            SinkError: it may not.
        """

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns of the table in the form in which Arrow is to have their values."""

    def append(self, query: str, batch: int, rows: Pieces) -> None:
        """Add the rows of a batch and note its number, all or nothing; one noted before: nothing.

        Raises:
            SinkError: the table cannot take them.
        """

    def merge(self, query: str, batch: int, changes: NetChanges) -> None:
        """Carry out a batch and note its number, all or nothing; one noted before: nothing.

        Raises:
            SinkError: the table cannot take them, or a key would have two rows.
        """


@dataclass(frozen=True)
class TableWriter:
    """Writes each batch to a table, exactly once."""

    sink: TableSink
    key: tuple[int, ...]
    names: tuple[str, ...]
    checkpoint: str

    @classmethod
    def of(
        cls,
        output: Output,
        columns: StructType,
        checkpoint: str,
        make: Callable[[SinkTable], TableSink],
    ) -> TableWriter:
        """The writer for an output whose rows have these columns.

        Raises:
            SinkError: the table cannot be what the output needs; nothing was written.
        """
        kept = columns.fields
        if output.key and is_changing(columns.names):
            kept = kept[:-2]
        key = key_places(output, StructType(kept))
        for place in key:
            if _is_nested(kept[place].dataType):
                raise SinkError(
                    f"TVF707: sink {output.name}: column {kept[place].name} of the key is of type "
                    f"{kept[place].dataType.simpleString()}; a key has columns of plain types"
                )
        names = tuple(kept[place].name for place in key)
        options = {name.lower(): value for name, value in output.options.items()}
        table = SinkTable(sink=output.name, columns=StructType(kept), key=names, options=options)
        writer = cls(make(table), key, names, checkpoint)
        is_known = exists(f"{checkpoint}/metadata")
        writer.sink.check(query_id(checkpoint) if is_known else None)
        return writer

    def __call__(self, rows: DataFrame, number: int) -> None:
        """Write one batch."""
        plain = [f"c{place}" for place in range(len(rows.columns))]
        if not self.key:
            stored = self.sink.stored([F.col(name) for name in plain])
            named = [column.alias(name) for column, name in zip(stored, plain, strict=True)]
            with in_pieces(rows.toDF(*plain).select(*named)) as pieces:
                self.sink.append(query_id(self.checkpoint), number, pieces)
        else:
            self.sink.merge(query_id(self.checkpoint), number, self._net(rows, plain))

    def _net(self, rows: DataFrame, plain: list[str]) -> NetChanges:
        changes = is_changing(rows.columns)
        data = plain[:-2] if changes else plain
        stored = self.sink.stored([F.col(name) for name in data])
        columns = [column.alias(name) for column, name in zip(stored, data, strict=True)]
        nested = [
            F.col(name)
            for name, field in zip(data, rows.schema.fields, strict=False)
            if _is_nested(field.dataType)
        ]
        if nested and changes:
            columns.append(json_text(F.struct(*nested)).alias(SAME))
        diff = [F.col(plain[-1])] if changes else []
        found = rows.toDF(*plain).select(*columns, *diff).toArrow()
        key = [f"c{place}" for place in self.key]
        for place, name in zip(self.key, key, strict=True):
            if pa.types.is_floating(found[name].type):
                found = found.set_column(place, name, _plain_numbers(found[name]))
        if not changes:
            return net_growth(found, key, self.names)
        *_, last = found.column_names
        return net_changes(found.drop_columns([last]), found[last], key, self.names)


def is_changing(columns: Sequence[str]) -> bool:
    """Whether a result of these columns is updates."""
    return tuple(columns[-2:]) == UPDATE


def key_places(output: Output, columns: StructType) -> tuple[int, ...]:
    """Where the columns of the key stand among those of the table.

    Raises:
        SinkError: one is not there, or two columns have one name.
    """
    places = {each.name.lower(): place for place, each in enumerate(columns.fields)}
    missing = [name for name in output.key if name.lower() not in places]
    if missing or len(places) < len(columns.fields):
        what = f"no column {missing[0]}" if missing else "two columns of one name"
        raise SinkError(f"TVF707: sink {output.name}: the rows have {what}")
    return tuple(places[name.lower()] for name in output.key)


def _plain_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same with one zero and one NaN, as Spark has it in its own keys.

    To some systems -0.0 is another key than 0.0, and each pattern of bits of NaN a key of its own.
    """
    nan = pa.scalar(float("nan"), column.type)
    positive = pc.add(column, pa.scalar(0.0, column.type))
    return pc.if_else(pc.is_nan(positive), nan, positive)


def _is_nested(kind: DataType) -> bool:
    return isinstance(kind, ArrayType | MapType | StructType | VariantType)
