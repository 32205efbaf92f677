"""Types, as casts and column definitions write them."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.diagnostics.suggest import suggest
from compiler.syntax.from_tree.checks import MAX_PRECISION
from compiler.syntax.refusal import RefusalError

_T = exp.DataType.Type
_TYPES: dict[str, Any] = {
    "BOOLEAN": _T.BOOLEAN,
    "TINYINT": _T.TINYINT,
    "BYTE": _T.TINYINT,
    "SMALLINT": _T.SMALLINT,
    "SHORT": _T.SMALLINT,
    "INT": _T.INT,
    "INTEGER": _T.INT,
    "BIGINT": _T.BIGINT,
    "LONG": _T.BIGINT,
    "FLOAT": _T.FLOAT,
    "REAL": _T.FLOAT,
    "DOUBLE": _T.DOUBLE,
    "DATE": _T.DATE,
    "TIME": _T.TIME,
    "TIMESTAMP": _T.TIMESTAMPTZ,
    "TIMESTAMP_LTZ": _T.TIMESTAMPLTZ,
    "TIMESTAMP_NTZ": _T.TIMESTAMPNTZ,
    "STRING": _T.TEXT,
    "CHARACTER": _T.CHAR,
    "CHAR": _T.CHAR,
    "VARCHAR": _T.VARCHAR,
    "BINARY": _T.BINARY,
    "DECIMAL": _T.DECIMAL,
    "DEC": _T.DECIMAL,
    "NUMERIC": _T.DECIMAL,
    "VOID": _T.NULL,
    "INTERVAL": _T.INTERVAL,
    "VARIANT": _T.VARIANT,
    "GEOMETRY": _T.GEOMETRY,
    "GEOGRAPHY": _T.GEOGRAPHY,
}
TYPE_NAMES = frozenset(_TYPES)
_TEXTS = frozenset({"STRING", "CHAR", "CHARACTER", "VARCHAR"})
_DECIMALS = frozenset({"DECIMAL", "DEC", "NUMERIC"})
_PLACES = frozenset({"GEOMETRY", "GEOGRAPHY"})
_PRECISIONS = {
    "TIME": range(10),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"), range(6, 7)),
}
_MOST_PARAMETERS = {
    **dict.fromkeys(_DECIMALS, 2),
    **dict.fromkeys(("CHAR", "CHARACTER", "VARCHAR", *_PLACES, *_PRECISIONS), 1),
}
# What some types need in parentheses, and how to write it.
_LENGTHS = {
    **{
        name: ("a length", f"write {name}(20), or STRING for any length")
        for name in ("CHAR", "CHARACTER", "VARCHAR")
    },
    **{name: ("a reference system", f"write {name}(4326)") for name in _PLACES},
}
_INTERVAL_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
# Types of other systems, and Spark's for them.
_FOREIGN_TYPES = {
    **dict.fromkeys(("TEXT", "CLOB", "UUID", "JSON", "NVARCHAR", "VARCHAR2", "ENUM"), "STRING"),
    **dict.fromkeys(("INT8", "INT64", "SERIAL", "UINT64", "HUGEINT"), "BIGINT"),
    **dict.fromkeys(("INT4", "INT32", "MEDIUMINT", "UINT32"), "INT"),
    **dict.fromkeys(("FLOAT8", "FLOAT64", "NUMBER"), "DOUBLE"),
    **dict.fromkeys(("DATETIME", "TIMESTAMPTZ", "DATETIME2"), "TIMESTAMP"),
    **dict.fromkeys(("BYTES", "BLOB", "BYTEA", "VARBINARY"), "BINARY"),
    "BOOL": "BOOLEAN",
    "INT2": "SMALLINT",
    "FLOAT4": "FLOAT",
    "MONEY": "DECIMAL(19, 2)",
}
_LONGER_FORMS = {"ARRAY": "ARRAY<INT>", "MAP": "MAP<STRING, INT>"}


def named_type(name: str) -> exp.DataType:
    """A type without parameters, by its Spark name."""
    return exp.DataType(this=_TYPES[name.upper()], nested=False)


def simple_type(
    name: exp.Identifier,
    parameters: list[exp.DataTypeParam] | None,
    zone: str | None,
    collation: exp.Identifier | None,
) -> exp.DataType:
    """`DECIMAL(10, 2)`, `TIMESTAMP WITHOUT TIME ZONE`, `STRING COLLATE UTF8_LCASE`."""
    upper = name.this.upper()
    kind = _TYPES.get(upper)
    if kind is None:
        raise _unknown(name)
    _check_zone(upper, zone)
    if zone == "WITH LOCAL TIME ZONE":
        kind = _T.TIMESTAMPLTZ
    if collation is not None and upper not in _TEXTS:
        raise RefusalError(
            "TVF108", f"{upper} has no collation", collation.meta.get("span"), help="leave it out"
        )
    _check_parameters(upper, [each.this for each in parameters or ()])
    return exp.DataType(
        this=kind,
        expressions=parameters,
        nested=False,
        collate=None if collation is None else exp.Column(this=collation),
    )


def _check_zone(name: str, zone: str | None) -> None:
    zoned = ("TIMESTAMP", "TIME") if zone == "WITHOUT TIME ZONE" else ("TIMESTAMP",)
    if zone is not None and name not in zoned:
        raise RefusalError("TVF108", f"{name} is never {zone}", help=f"write {name} alone")


def _check_parameters(name: str, parameters: list[exp.Expr]) -> None:
    most = _MOST_PARAMETERS.get(name, 0)
    if len(parameters) > most:
        raise RefusalError(
            "TVF108",
            f"{name} takes {most} in parentheses" if most else f"{name} takes no parentheses",
            help=f"write {name} alone" if not most else None,
        )
    if not parameters and name in _LENGTHS:
        raise RefusalError("TVF108", f"{name} needs {_LENGTHS[name][0]}", help=_LENGTHS[name][1])
    for parameter in parameters:
        if not (parameter.is_int or (name in _PLACES and parameter.name == "ANY")):
            raise RefusalError(
                "TVF108",
                f"`{parameter.name}` is not a whole number",
                parameter.meta.get("span"),
                help="write DECIMAL(10, 2)" if name in _DECIMALS else None,
            )
    if parameters and name in _DECIMALS:
        _check_decimal(*(int(each.name) for each in parameters))
    if parameters and name in _PRECISIONS and int(parameters[0].name) not in _PRECISIONS[name]:
        raise RefusalError(
            "TVF108",
            f"{name}({parameters[0].name}) is not a precision of Spark's",
            help=f"write {name} alone: it has microseconds",
        )


def _check_decimal(precision: int, scale: int = 0) -> None:
    if precision > MAX_PRECISION:
        raise RefusalError(
            "TVF108",
            f"a DECIMAL has at most {MAX_PRECISION} digits",
            help=f"write DECIMAL({MAX_PRECISION}, 2) or DOUBLE",
        )
    if scale > precision:
        raise RefusalError(
            "TVF108",
            f"a DECIMAL of {precision} digits cannot have {scale} decimals",
            help="the first number counts all digits: DECIMAL(10, 2)",
        )


def _unknown(name: exp.Identifier) -> RefusalError:
    upper = name.this.upper()
    if upper in _LONGER_FORMS:
        help_text = f"name the types inside, such as {_LONGER_FORMS[upper]}"
        return RefusalError("TVF108", f"{upper} needs the types of its elements", help=help_text)
    near = _FOREIGN_TYPES.get(upper) or suggest(upper, _TYPES)
    return RefusalError(
        "TVF108",
        f"`{name.this}` is not a type",
        help=f"did you mean {near}?" if near else None,
    )


def type_parameters(*numbers: exp.Expression) -> list[exp.DataTypeParam]:
    """The numbers behind a type's name."""
    return [exp.DataTypeParam(this=number) for number in numbers]


def any_parameter() -> exp.Var:
    """`GEOGRAPHY(ANY)`."""
    return exp.Var(this="ANY")


def array_type(element: exp.DataType) -> exp.DataType:
    """`ARRAY<element>`."""
    return exp.DataType(this=_T.ARRAY, expressions=[element], nested=True)


def map_type(key: exp.DataType, value: exp.DataType) -> exp.DataType:
    """`MAP<key, value>`."""
    return exp.DataType(this=_T.MAP, expressions=[key, value], nested=True)


def struct_type(*fields: exp.ColumnDef | None) -> exp.DataType:
    """`STRUCT<name: type, ...>`."""
    expressions = [each for each in fields if each is not None]
    return exp.DataType(this=_T.STRUCT, expressions=expressions, nested=True)


def empty_struct_type() -> exp.DataType:
    """`STRUCT<>`."""
    return struct_type()


def struct_field(
    name: exp.Identifier,
    kind: exp.DataType,
    required: exp.Expression | None,
    comment_: exp.Expression | None,
) -> exp.ColumnDef:
    """`name: type NOT NULL COMMENT '...'`."""
    constraints = [each for each in (required, comment_) if each is not None]
    return exp.ColumnDef(this=name, kind=kind, constraints=constraints)


def not_null() -> exp.ColumnConstraint:
    """NOT NULL."""
    return exp.ColumnConstraint(kind=exp.NotNullColumnConstraint())


def comment(text: exp.Expression) -> exp.ColumnConstraint:
    """`COMMENT '...'`."""
    return exp.ColumnConstraint(kind=exp.CommentColumnConstraint(this=text))


def interval_type(unit: exp.Var, end: exp.Var | None) -> exp.DataType:
    """`INTERVAL DAY TO SECOND`."""
    names = [unit.name] if end is None else [unit.name, end.name]
    for name in names:
        if name not in _INTERVAL_UNITS:
            raise RefusalError(
                "TVF106",
                f"a type of intervals has no {name}",
                help="write INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH",
            )
    places = [_INTERVAL_UNITS.index(name) for name in names]
    is_range = places == sorted(set(places)) and (places[0] > 0 or places[-1] < 2)
    if end is not None and (not is_range or names[0] == "MONTH"):
        raise RefusalError(
            "TVF106",
            f"an interval cannot run from {names[0]} to {names[-1]}",
            help="the ranges are YEAR TO MONTH, and DAY, HOUR, MINUTE TO a smaller one to SECOND",
        )
    span = exp.IntervalSpan(this=unit, expression=end) if end is not None else unit
    return exp.DataType(this=exp.Interval(unit=span))


def cast_type(kind: exp.DataType) -> exp.DataType:
    """A type as a cast means it: CHAR and VARCHAR are STRING there."""
    stack = [kind]
    while stack:
        node = stack.pop()
        if node.this in (_T.CHAR, _T.VARCHAR):
            node.set("this", _T.TEXT)
            node.set("expressions", None)
        for inner in node.expressions:
            if isinstance(inner, exp.DataType):
                stack.append(inner)
            elif isinstance(inner, exp.ColumnDef):
                stack.append(inner.args["kind"])
    return kind


RULES: tuple[Any, ...] = (
    any_parameter,
    array_type,
    comment,
    empty_struct_type,
    interval_type,
    map_type,
    not_null,
    simple_type,
    struct_field,
    struct_type,
    type_parameters,
)
