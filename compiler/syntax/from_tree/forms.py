"""Functions that are written in words of their own: CAST, STRUCT, EXTRACT, TRIM and others."""

from __future__ import annotations

from sqlglot import exp

from compiler.syntax.from_tree.types import cast_type
from compiler.syntax.nodes.made import named_by_column


def cast(value: exp.Expression, kind: exp.DataType) -> exp.TryCast:
    """`CAST(value AS type)`; sqlglot calls a Spark cast TryCast, since it may give NULL."""
    return exp.TryCast(this=value, to=cast_type(kind))


def try_cast(value: exp.Expression, kind: exp.DataType) -> exp.TryCast:
    """`TRY_CAST(value AS type)`."""
    return exp.TryCast(this=value, to=cast_type(kind), safe=True)


def struct(*items: exp.Expression | None) -> exp.Struct:
    """`STRUCT(a, b AS c)`: fields have names, if need be made up ones."""
    fields: list[exp.Expression] = []
    for number, item in enumerate(each for each in items if each is not None):
        if isinstance(item, exp.Alias):
            fields.append(exp.PropertyEQ(this=item.args["alias"], expression=item.this))
        elif item.is_star:
            fields.append(item)
        else:
            name = (
                item.this
                if isinstance(item, exp.Column)
                else exp.Identifier(this=f"col{number + 1}", quoted=False)
            )
            field = exp.PropertyEQ(this=name, expression=item)
            if isinstance(item, exp.Column):
                named_by_column(field)
            fields.append(field)
    node = exp.Struct(expressions=fields)
    node.meta["constant"] = not any(
        isinstance(each, (exp.Column, exp.Func, exp.Star)) and not isinstance(each, _CONSTANT)
        for field in fields
        for each in field.walk()
    )
    return node


_CONSTANT = (exp.Cast, exp.Case, exp.If, exp.Connector, exp.Struct)


def extract(part: exp.Expression, value: exp.Expression) -> exp.Extract:
    """`EXTRACT(part FROM value)`."""
    return exp.Extract(this=exp.Var(this=part.name.upper()), expression=value)


def trim(
    position_: str | None, characters: exp.Expression | None, value: exp.Expression
) -> exp.Trim:
    """`TRIM(BOTH characters FROM value)`."""
    return exp.Trim(this=value, position=position_, expression=characters)


def substring(
    value: exp.Expression, start: exp.Expression, length: exp.Expression | None
) -> exp.Substring:
    """`SUBSTRING(value FROM start FOR length)`."""
    return exp.Substring(this=value, start=start, length=length)


def position(part: exp.Expression, whole: exp.Expression) -> exp.StrPosition:
    """`POSITION(part IN whole)`."""
    return exp.StrPosition(this=whole, substr=part)


def overlay(
    value: exp.Expression,
    other: exp.Expression,
    start: exp.Expression,
    length: exp.Expression | None,
) -> exp.Overlay:
    """`OVERLAY(value PLACING other FROM start FOR length)`."""
    return exp.Overlay(this=value, expression=other, from_=start, for_=length)
