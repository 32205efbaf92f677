"""What the keyed tables share: a batch as one table of rows and what each of them does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.net import NetChanges
from tvfc_runtime.sinks.tables import SinkTable

WHAT = "what"
DELETED, REPLACED, NEW = 0, 1, 2
"""What becomes of the row of a key: it goes, it is there in place of any other, it is the first."""

TRIES = 8
"""How often a batch is tried while others write to a lake's table at the same time."""


def staged(changes: NetChanges) -> pa.Table:
    """The rows of a batch, and what each does; of a key that goes there is the key alone."""
    new, old = pa.scalar(NEW, pa.int16()), pa.scalar(REPLACED, pa.int16())
    marks = pa.repeat(old, changes.upserts.num_rows)
    if changes.is_new is not None:
        marks = pc.if_else(changes.is_new, new, old)
    gone = pa.repeat(pa.scalar(DELETED, pa.int16()), changes.deletes.num_rows)
    parts = [changes.upserts.append_column(WHAT, marks), changes.deletes.append_column(WHAT, gone)]
    whole = pa.concat_tables(parts, promote_options="default")
    return whole.select([*changes.upserts.column_names, WHAT])


def key_places(table: SinkTable) -> list[int]:
    """Where the columns of the key stand among all."""
    return [table.columns.names.index(name) for name in table.key]


def own_name(name: str, of_table: Iterable[str]) -> str | None:
    """What a table calls a column: as the query does, but for the case of its letters."""
    names = [*of_table]
    near = [own for own in names if own.lower() == name.lower()]
    if name in names:
        return name
    return near[0] if len(near) == 1 else None


def partition_columns(table: SinkTable) -> tuple[str, ...]:
    """The columns that OPTIONS (partitionBy 'a, b') names.

    Raises:
        SinkError: the rows have no such column.
    """
    found = []
    for name in table.options.get("partitionby", "").split(","):
        if name.strip():
            own = own_name(name.strip(), table.columns.names)
            if own is None:
                raise SinkError(
                    f"TVF707: sink {table.sink}: the rows have no column {name.strip()} to "
                    "partition by"
                )
            found.append(own)
    if len(found) >= len(table.columns.names):
        raise SinkError(
            f"TVF707: sink {table.sink}: partitionBy leaves no column for the files; name fewer"
        )
    return tuple(found)


def check_columns(
    table: SinkTable, there: Mapping[str, str], wanted: Mapping[str, str], *, evolves: bool = False
) -> None:
    """See that a table has the columns of the rows, in their types.

    Args:
        table: the sink.
        there: the columns of the table and their types.
        wanted: those of the rows, types spelled alike.
        evolves: whether the table gets the columns that it lacks.

    Raises:
        SinkError: it has not.
    """
    for name, kind in wanted.items():
        own = own_name(name, there)
        if own is None and not evolves:
            raise SinkError(
                f"TVF707: sink {table.sink}: the table has no column {name}, {kind}; add it, or "
                "give another table"
            )
        if own is not None and there[own] != kind:
            raise SinkError(
                f"TVF707: sink {table.sink}: the table has a column {own} of type {there[own]}, "
                f"and the rows {kind}; CAST the value"
            )


def settings(options: Mapping[str, str], beginning: str) -> dict[str, str]:
    """Options of a library, without the beginning of their names."""
    return {
        name.removeprefix(beginning): value
        for name, value in options.items()
        if name.startswith(beginning)
    }


def foreign(sink: str, what: str, remedy: str) -> SinkError:
    """The error of a table that holds the rows of another query."""
    return SinkError(
        f"TVF705: sink {sink}: {what} holds the result of another checkpoint; {remedy}"
    )
