"""Which operator of a query holds what its state has, and what it calls the columns.

The job has said which operators there are, of which outputs, with which columns (holdings.py), and
how many rows each held after a batch; Spark knows them by number. So an operator is known by its
kind and columns, then by its count, then by its output, since Spark numbers those of one output
before those of the next. Where several still fit, all are named: nothing is made up.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import to_arrow_type

from commands.inside.opened import BEFORE
from tvfc_runtime.checkpoint.storage import exists, read_text
from tvfc_runtime.counters.holdings import Holding
from tvfc_runtime.counters.progress import Counters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql.types import DataType

    from commands.inside.opened import Opened

UNCOUNTED = ("totals", "first rows")
"""Kinds of which the count is not that of the rows that are shown."""


@dataclass(frozen=True)
class Described:
    """What a job says of itself beside its counters; empty where an earlier version has not.

    Attributes:
        holdings: its operators.
        folders: the paths of sources and tables of files, by name.
    """

    holdings: tuple[Holding, ...] = ()
    folders: Mapping[str, str] | None = None


def described(place: str) -> Described:
    """What the job has written of its operators; nothing if it is not there, or not whole."""
    file = f"{place}/tvfc/operators.json"
    try:
        if not exists(file):
            return Described()
        known = json.loads(read_text(file))
        holdings = tuple(map(Holding.from_json, known["operators"]))
        return Described(holdings, {str(k): str(v) for k, v in known["folders"].items()})
    except (ValueError, TypeError, AttributeError, KeyError, OSError, PySparkException):
        return Described()


def counted_at(place: str, batch: int) -> Counter[str] | None:
    """How many rows each operator held after a batch; None: that is not kept."""
    try:
        known: Any = json.loads(read_text(f"{place}/tvfc/batches/{batch}"))
        return Counters.from_json(known).held
    except (ValueError, TypeError, AttributeError, OSError):
        return None


def operators_of(
    parts: Sequence[Opened], holdings: Sequence[Holding], counted: Mapping[str, int] | None
) -> dict[int, list[Holding]]:
    """The operators that each numbered one may be.

    Args:
        parts: what there is in state.
        holdings: the operators of the query.
        counted: how many rows each held, by name; None: unknown.
    """
    by_number: dict[int, list[Opened]] = {}
    for part in parts:
        by_number.setdefault(part.number, []).append(part)
    found = {
        number: [each for each in holdings if all(_fits(part, each) for part in own)]
        for number, own in by_number.items()
    }
    if counted is not None:
        for number, fitting in found.items():
            rows = sum(part.own.num_rows for part in by_number[number])
            found[number] = [
                each
                for each in fitting
                if each.kind in UNCOUNTED or counted.get(each.operator, 0) == rows
            ]
    return _by_output(found)


def _by_output(found: dict[int, list[Holding]]) -> dict[int, list[Holding]]:
    """Of as many numbers as operators, each of another output, each in its turn."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, fitting in sorted(found.items()):
        groups.setdefault(tuple(each.operator for each in fitting), []).append(number)
    for numbers in groups.values():
        fitting = found[numbers[0]]
        if len(numbers) == len(fitting) == len({each.output for each in fitting}):
            for number, each in zip(numbers, fitting, strict=True):
                found[number] = [each]
    return found


def _fits(part: Opened, holding: Holding) -> bool:
    if holding.kind not in part.kinds:
        return False
    kinds = {each.plain: each.kind for each in holding.columns}
    if holding.kind == "join":
        kinds = {k: v for k, v in kinds.items() if part.part == "" or k[0] == _side(part)}
    columns = {each.name: each.type for each in part.payload.schema if each.name}
    if part.part == BEFORE and holding.kind == "join":
        return columns.keys() <= {each.plain for each in holding.columns}
    return columns.keys() == kinds.keys() and all(
        _same(columns[name], kind) for name, kind in kinds.items()
    )


def _side(part: Opened) -> str:
    return {"left": "a", "right": "b"}.get(part.part, "")


def _same(found: pa.DataType, kind: DataType) -> bool:
    """Whether a column of a chunk may be one of a type; `plain_types` has made some others."""
    try:
        wanted = to_arrow_type(kind, timezone="UTC")
    except PySparkException:
        return True
    if pa.types.is_nested(wanted) or pa.types.is_nested(found):
        return pa.types.is_nested(wanted) == pa.types.is_nested(found)
    if pa.types.is_duration(wanted) or pa.types.is_null(wanted):
        return True
    if pa.types.is_timestamp(wanted) and pa.types.is_timestamp(found):
        return (wanted.tz is None) == (found.tz is None)
    return str(found).removeprefix("large_") == str(wanted).removeprefix("large_")


def names_of(part: Opened, fitting: Sequence[Holding]) -> list[str]:
    """What the query calls the columns of a part; the plain names where that is not certain."""
    called: list[dict[str, str]] = [
        {each.plain: each.name for each in holding.columns} for holding in fitting
    ]
    plain = [name for name in part.payload.column_names if name]
    return [
        called[0][name]
        if called and len({each.get(name) for each in called}) == 1 and name in called[0]
        else name
        for name in plain
    ]
