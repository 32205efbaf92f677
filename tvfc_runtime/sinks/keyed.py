"""Sinks that hold a result by key, each row once: their interface, and those that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.checkpoint.storage import exists, query_id
from tvfc_runtime.plugins import SINKS, plugin_of
from tvfc_runtime.sinks.changes import Changes, changed, grown
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.sqlite import SqliteSink
from tvfc_runtime.sinks.tables import is_changing, key_places

if TYPE_CHECKING:
    from tvfc_runtime.spec.job import Output


@dataclass(frozen=True, kw_only=True)
class KeyedTable:
    """What a keyed sink has to know.

    Attributes:
        sink: its name in the query.
        columns: the columns of its rows.
        key: those of its key, named as in `columns`.
        options: OPTIONS of the sink.
    """

    sink: str
    columns: StructType
    key: tuple[str, ...]
    options: Mapping[str, str]


class KeyedSink(Protocol):
    """A table that takes upserts and deletes by key, a batch in one transaction.

    An object is plain data: it is sent to where batches are written, and opens what it needs in
    each.
    """

    def check(self, query: str | None) -> None:
        """See, before the query starts, that it may write here.

        Args:
            query: the id of the streaming query; None: it is a new one.

        Raises:
            SinkError: it may not.
        """

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns of the table in the form in which Python is to have their values.

        Values must have a hash: arrays, maps and structs have none in Python.
        """

    def apply(self, query: str, batch: int, changes: Changes) -> None:
        """Carry out a batch and note its number, all or nothing; one noted before does nothing."""


def _sqlite(table: KeyedTable) -> KeyedSink:
    return SqliteSink.of(table.sink, table.columns, table.key, table.options)


_KNOWN: dict[str, Callable[[KeyedTable], KeyedSink]] = {"sqlite": _sqlite}


def register_keyed_sink(name: str, make: Callable[[KeyedTable], KeyedSink]) -> None:
    """Let `CREATE SINK … USING name OPTIONS (key '…')` write to a sink of one's own."""
    _KNOWN[name.lower()] = make


@dataclass(frozen=True)
class KeyedWriter:
    """Writes each batch to a keyed sink, exactly once."""

    sink: KeyedSink
    key: tuple[int, ...]
    names: tuple[str, ...]
    checkpoint: str

    @classmethod
    def of(cls, output: Output, columns: StructType, checkpoint: str) -> KeyedWriter:
        """The writer for an output whose rows have these columns.

        Raises:
            SinkError: the table cannot be what the output needs; nothing was written.
        """
        plugin = plugin_of(SINKS, output.format)
        make = _KNOWN.get(output.format) if plugin is None else plugin.keyed
        if make is None:
            raise SinkError(
                f"TVF707: sink {output.name}: there is no keyed sink {output.format}; known are "
                f"{', '.join(sorted(_KNOWN))}; register it before the job starts"
            )
        kept = columns.fields[:-2] if is_changing(columns.names) else columns.fields
        key = key_places(output, StructType(kept))
        names = tuple(kept[place].name for place in key)
        table = KeyedTable(
            sink=output.name, columns=StructType(kept), key=names, options=output.options
        )
        writer = cls(make(table), key, names, checkpoint)
        is_known = exists(f"{checkpoint}/metadata")
        writer.sink.check(query_id(checkpoint) if is_known else None)
        return writer

    def __call__(self, rows: DataFrame, number: int) -> None:
        """Write one batch."""
        changes = is_changing(rows.columns)
        *columns, last = [f"c{place}" for place in range(len(rows.columns))]
        plain = rows.toDF(*columns, last)
        data = columns[:-1] if changes else [*columns, last]
        stored = self.sink.stored([F.col(name) for name in data])
        found = plain.select(*stored, *([F.col(last)] if changes else [])).toArrow()
        values = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
        if changes:
            updates = ((row[:-1], row[-1]) for row in values)
            net = changed(updates, self.key, self.names)
        else:
            net = grown(values, self.key)
        self.sink.apply(query_id(self.checkpoint), number, net)
