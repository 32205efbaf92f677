"""What the operators of a query hold, by operator and as one relation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from commands.inside.named import counted_at, described, names_of, operators_of
from commands.inside.opened import opened
from commands.inside.shown import as_text, values_of
from commands.inside.state_store import SparkRows, StateError, Texts, read_state
from tvfc_runtime.clock.of_batch import ERA_MS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import SparkSession

    from commands.inside.opened import Opened
    from tvfc_runtime.counters.holdings import Holding

INTERNAL = "__"
"""How columns begin that a job adds to those of the query, which must not begin so."""

CLOSE = "__close"
"""The column by which Spark's groups close."""


@dataclass(frozen=True)
class HeldRows:
    """The rows of one kind that an operator holds.

    Attributes:
        number: Spark's number of the operator.
        operators: its name in `tvfc status`, `delay/3`; several if it may be any of these.
        output: the output that it is of; empty if that is not known.
        kind: what the operator does.
        part: which of its rows these are; empty if they are all of one kind.
        own: the names of columns that say what the operator knows of a row.
        rows: those columns, then those of the query.
    """

    number: int
    operators: tuple[str, ...]
    output: str
    kind: str
    part: str
    own: tuple[str, ...]
    rows: pa.Table

    @property
    def title(self) -> str:
        """What it is called."""
        name = " or ".join(self.operators) or f"an operator ({self.kind})"
        of = f" of {self.output}" if self.output else ""
        return f"{name}{of}{f', {self.part}' if self.part else ''}"


def held_rows(spark: SparkSession, place: str, batch: int) -> list[HeldRows]:
    """What each operator of a query held after a batch; those that held nothing are left out.

    Raises:
        StateError: it cannot be read.
    """
    found = read_state(spark, place, batch)
    try:
        parts = [part for each in found if isinstance(each, Texts) for part in opened(each)]
    except (ValueError, KeyError, pa.ArrowException) as error:
        why = str(error).partition("\n")[0]
        raise StateError(
            f"the state of batch {batch} in {place} is not as this version of tvfc writes it: {why}"
        ) from None
    known = operators_of(parts, described(place).holdings, counted_at(place, batch))
    rows = [_of_runtime(part, known[part.number]) for part in parts]
    own = (each for each in found if isinstance(each, SparkRows))
    rows += [_of_spark(each, part, table) for each in own for part, table in each.parts.items()]
    return sorted(_joined([each for each in rows if each.rows.num_rows]), key=lambda e: e.number)


def _of_runtime(part: Opened, fitting: Sequence[Holding]) -> HeldRows:
    outputs = {each.output for each in fitting}
    kinds = {each.kind for each in fitting} or set(part.kinds)
    columns = [part.payload.column(name) for name in part.payload.column_names if name]
    named = zip(names_of(part, fitting), columns, strict=True)
    payload = [(name, column) for name, column in named if not name.startswith(INTERNAL)]
    own = part.own.column_names
    names = _apart([*own, *(name for name, _ in payload)])
    return HeldRows(
        number=part.number,
        operators=tuple(each.operator for each in fitting),
        output=outputs.pop() if len(outputs) == 1 else "",
        kind=kinds.pop() if len(kinds) == 1 else " or ".join(sorted(kinds)),
        part=part.part,
        own=tuple(own),
        rows=pa.table([*part.own.columns, *(column for _, column in payload)], names=names),
    )


def _of_spark(state: SparkRows, part: str, table: pa.Table) -> HeldRows:
    found = [
        (name, _out_of_era(column.combine_chunks()))
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    closes = [column for name, column in found if name == CLOSE]
    own = {}
    if closes:
        own["_due"] = closes[0].cast(pa.timestamp("ms", "UTC"), safe=False)
    shown = [(name, column) for name, column in found if not name.startswith(INTERNAL)]
    names = _apart([*own, *(name for name, _ in shown)])
    rows = pa.table([*own.values(), *(column for _, column in shown)], names=names)
    kind = state.name.split("/")[1]
    return HeldRows(state.number, (state.name,), "", kind, part, tuple(own), rows)


def _out_of_era(column: pa.Array) -> pa.Array:
    """A column of Spark's state with the times of the query; see tvfc_runtime/clock/era.py."""
    if pa.types.is_struct(column.type):
        fields = [_out_of_era(each) for each in column.flatten()]
        names = [each.name for each in column.type]
        return pa.StructArray.from_arrays(fields, names, mask=column.is_null())
    if not (pa.types.is_timestamp(column.type) and column.type.unit == "us"):
        return column
    micros = column.cast(pa.int64())
    moved = pc.greater_equal(micros, ERA_MS * 1000)
    return pc.if_else(moved, pc.subtract(micros, ERA_MS * 1000), micros).cast(column.type)


def _apart(names: Iterable[str]) -> list[str]:
    """Names that differ, whatever their case: a later one of a name gets a number."""
    taken: set[str] = set()
    found = []
    for name in names:
        number, own = 1, name
        while own.lower() in taken:
            number += 1
            own = f"{name}_{number}"
        taken.add(own.lower())
        found.append(own)
    return found


def _joined(parts: list[HeldRows]) -> list[HeldRows]:
    """Parts of one operator and form as one."""
    found: list[HeldRows] = []
    for each in parts:
        last = found[-1] if found else None
        alike = last is not None and (last.number, last.part) == (each.number, each.part)
        if last is not None and alike and last.rows.schema.names == each.rows.schema.names:
            rows = pa.concat_tables([last.rows, each.rows], promote_options="permissive")
            found[-1] = HeldRows(
                each.number, each.operators, each.output, each.kind, each.part, each.own, rows
            )
        else:
            found.append(each)
    return found


def first_of(parts: Sequence[HeldRows], most: int) -> list[HeldRows]:
    """At most so many rows of each part, those that are due first."""
    return [replace(each, rows=_by_due(each)[:most]) for each in parts]


def _by_due(part: HeldRows) -> pa.Table:
    return part.rows.sort_by("_due") if "_due" in part.own else part.rows


def one_relation(parts: Sequence[HeldRows]) -> pa.Table:
    """All parts as one table: `_operator`, `_output`, `_part`, then the columns of any of them.

    Columns of one name and of different types are text.
    """
    kinds: dict[str, set[pa.DataType]] = {}
    for part in parts:
        for column in part.rows.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    tables = [
        _labelled(part, {name for name, found in kinds.items() if len(found) > 1}) for part in parts
    ]
    if not tables:
        return pa.table({name: pa.array([], pa.string()) for name in LABELS})
    return pa.concat_tables(tables, promote_options="permissive")


def in_utc(table: pa.Table) -> pa.Table:
    """TIMESTAMPs without a zone, as DuckDB compares them with literals: in UTC."""
    for place, column in enumerate(table.schema):
        if pa.types.is_timestamp(column.type) and column.type.tz is not None:
            plain = table.column(place).cast(pa.timestamp(column.type.unit))
            table = table.set_column(place, column.name, plain)
    return table


LABELS = ("_operator", "_output", "_part")


def _labelled(part: HeldRows, mixed: set[str]) -> pa.Table:
    labels = (" or ".join(part.operators), part.output, part.part)
    columns = {
        name: pa.array([value] * part.rows.num_rows, pa.string())
        for name, value in zip(LABELS, labels, strict=True)
    }
    for name, column in zip(part.rows.column_names, part.rows.columns, strict=True):
        texts = [None if each is None else as_text(each) for each in values_of(column)]
        columns[name] = pa.array(texts, pa.string()) if name in mixed else column
    names = _apart(columns)
    return pa.table(list(columns.values()), names=names)
