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
    if zone == "WITH LOCAL TIME ZONE":
        kind = _T.TIMESTAMPLTZ
    _check_parameters(upper, parameters)
    return exp.DataType(
        this=kind,
        expressions=parameters,
        nested=False,
        collate=None if collation is None else exp.Column(this=collation),
    )


def _check_parameters(name: str, parameters: list[exp.DataTypeParam] | None) -> None:
    if name in ("CHAR", "CHARACTER", "VARCHAR") and not parameters:
        raise RefusalError(
            "TVF108", f"{name} needs a length", help=f"write {name}(20), or STRING for any length"
        )
    if name in ("DECIMAL", "DEC", "NUMERIC") and parameters:
        precision = parameters[0].this
        if precision.is_int and int(precision.this) > MAX_PRECISION:
            raise RefusalError(
                "TVF108",
                f"a DECIMAL has at most {MAX_PRECISION} digits",
                help=f"write DECIMAL({MAX_PRECISION}, 2) or DOUBLE",
            )
        scale = parameters[1].this if len(parameters) > 1 else None
        if scale is not None and int(scale.name) > int(precision.name):
            raise RefusalError(
                "TVF108",
                f"a DECIMAL of {precision.name} digits cannot have {scale.name} decimals",
                help="the first number counts all digits: DECIMAL(10, 2)",
            )


def _unknown(name: exp.Identifier) -> RefusalError:
    upper = name.this.upper()
    if upper in _LONGER_FORMS:
        help_text = f"name the types inside, such as {_LONGER_FORMS[upper]}"
        return RefusalError("TVF108", f"{upper} needs the types of its elements", help=help_text)
    near = suggest(upper, _TYPES)
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
