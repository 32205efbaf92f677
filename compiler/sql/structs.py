"""Fields of structs, and the struct of a window: `STRUCT<start: TIMESTAMP, end: TIMESTAMP>`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.sqltypes import UNKNOWN, Kind, SqlType, kind_of


def fields_of(struct: SqlType) -> tuple[tuple[str, SqlType], ...]:
    """The names and types of the fields of a struct; none if it is no struct."""
    data_type = _parsed(struct)
    if data_type is None or not data_type.is_type(exp.DType.STRUCT):
        return ()
    kinds = ((each.name, each.args.get("kind")) for each in data_type.expressions)
    return tuple((name, _type(kind)) for name, kind in kinds)


def elements_of(kind: SqlType) -> tuple[SqlType, ...]:
    """The type of what is in an array, or those of the keys and values of a map; else none."""
    data_type = _parsed(kind)
    if data_type is None or not data_type.is_type(exp.DType.ARRAY, exp.DType.MAP):
        return ()
    return tuple(map(_type, data_type.expressions))


def _parsed(kind: SqlType) -> exp.DataType | None:
    """A type that has parts; None: it has none, or sqlglot does not know it."""
    if kind.kind is not Kind.OTHER:
        return None
    try:
        return exp.DataType.build(kind.ddl, dialect="spark")
    except SqlglotError:
        return None


def _type(part: exp.Expression | None) -> SqlType:
    return SqlType(kind_of(part), part.sql("spark")) if isinstance(part, exp.DataType) else UNKNOWN


def field_type(struct: SqlType, name: str) -> SqlType:
    """The type of a field."""
    found = (kind for each, kind in fields_of(struct) if each.lower() == name.lower())
    return next(found, UNKNOWN)


def field_in(struct: Expr, path: Iterable[str]) -> Expr:
    """A field of a struct, a field of a field, or the struct itself if `path` is empty."""
    sql, kind = struct.sql, struct.type
    for name in path:
        sql, kind = f"{sql}.{quoted_name(name)}", field_type(kind, name)
    return replace(struct, sql=sql, type=kind)


def window_type(time: SqlType) -> SqlType:
    """The struct of a window of times of a type."""
    name = time.kind.value if time.kind is Kind.TIMESTAMP_NTZ else Kind.TIMESTAMP.value
    return SqlType(Kind.OTHER, f"STRUCT<start: {name}, end: {name}>")


def is_window(kind: SqlType) -> bool:
    """Whether a type is that of a window."""
    fields = fields_of(kind)
    times = (Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ)
    return [name.lower() for name, _ in fields] == ["start", "end"] and all(
        each.kind in times for _, each in fields
    )


def time_in(window: str) -> str:
    """Spark's window_time(): the last microsecond of a window, in SQL."""
    return f"{window}.end - INTERVAL 1 MICROSECOND"
