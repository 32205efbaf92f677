"""Expressions as text, and text of a plan as expressions."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError


def text_of(node: exp.Expr) -> str:
    """An expression as text that is the same however its names are written, unlike its strings."""
    plain = node.copy()
    for each in plain.find_all(exp.Identifier):
        each.set("this", each.name.lower())
        each.args["quoted"] = True
    return str(plain.sql("spark", normalize_functions="upper"))


def parsed(sql: str) -> exp.Expression | None:
    """SQL of a plan as sqlglot reads and prints it; None: it cannot, or it is nested too deep."""
    try:
        node = sqlglot.parse_one(sql, read="spark")
        node.sql("spark")
    except (AttributeError, LookupError, RecursionError, SqlglotError, TypeError, ValueError):
        return None
    return node if isinstance(node, exp.Expression) else None
