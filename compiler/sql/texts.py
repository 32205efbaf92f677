"""Expressions as text, and text of a plan as expressions."""

from __future__ import annotations

from collections.abc import Iterable

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


class Texts:
    """Expressions to be found again by their text, which is made only where the size agrees."""

    def __init__(self, nodes: Iterable[exp.Expr]) -> None:
        self._by_size: dict[int, set[str]] = {}
        for node in nodes:
            self._by_size.setdefault(sizes_in(node)[id(node)], set()).add(text_of(node))

    def hold(self, node: exp.Expr, size: int) -> bool:
        """Whether a node of a size is one of them."""
        found = self._by_size.get(size)
        return found is not None and text_of(node) in found


def sizes_in(root: exp.Expr) -> dict[int, int]:
    """How many nodes there are in each part of an expression, by the ids of the parts."""
    sizes: dict[int, int] = {}
    for node in reversed(list(root.walk())):
        sizes[id(node)] = 1 + sum(sizes[id(each)] for each in node.iter_expressions())
    return sizes


def parsed(sql: str) -> exp.Expression | None:
    """SQL of a plan as sqlglot reads and prints it; None: it cannot, or it is nested too deep."""
    try:
        node = sqlglot.parse_one(sql, read="spark")
        node.sql("spark")
    except (AttributeError, LookupError, RecursionError, SqlglotError, TypeError, ValueError):
        return None
    return node if isinstance(node, exp.Expression) else None
