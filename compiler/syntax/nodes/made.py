"""Nodes of the AST that the text of a query does not have: what else than their span says them."""

from __future__ import annotations

from sqlglot import exp

from compiler.source import Span
from compiler.syntax.nodes.spans import set_span, span_of

_NAME = "made_name"
_EQUALITY = "made_equality"
_STAR = "made_of_star"
_BY_COLUMN = "named_by_column"


def under_another_name(column: exp.Column, name: str) -> None:
    """Say that SQL has another name for a column than its text."""
    column.meta[_NAME] = name


def made_name(column: exp.Expression) -> str | None:
    """The name that SQL has for a column, if it is not that of its text."""
    found = column.meta.get(_NAME)
    return str(found) if found is not None else None


def of_star(column: exp.Column, name: str, star: Span) -> None:
    """Say that a column of this name is one of those that a star stands for, and has its span."""
    set_span(column, star)
    under_another_name(column, name)
    column.meta[_STAR] = True


def is_of_star(column: exp.Expression) -> bool:
    """Whether a column is one of those that a star stands for."""
    return bool(column.meta.get(_STAR))


def named_by_column(field: exp.PropertyEQ) -> None:
    """Say that nothing but its column gives a field of STRUCT its name."""
    field.meta[_BY_COLUMN] = True


def gives_its_name(column: exp.Column) -> bool:
    """Whether a column stands in STRUCT(…) without AS, so that its field is called like it."""
    field = column.parent
    return isinstance(field, exp.Struct) or bool(field and field.meta.get(_BY_COLUMN))


def made_equality(one: exp.Expression, other: exp.Expression, span: Span) -> exp.EQ:
    """That two expressions are equal, for an error with a span."""
    made = exp.EQ(this=one, expression=other)
    set_span(made, span)
    made.meta[_EQUALITY] = True
    return made


def is_made_equality(node: exp.Expression) -> bool:
    """Whether a node is one that made_equality() has made."""
    return bool(node.meta.get(_EQUALITY))


def made_identifier(name: str, place: exp.Expression) -> exp.Identifier:
    """A name, for an error where something else stands."""
    made = exp.to_identifier(name)
    set_span(made, span_of(place))
    return made
