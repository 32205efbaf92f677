"""Where a node stands in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.source import Span

if TYPE_CHECKING:
    from sqlglot import exp


def span_of(node: exp.Expr) -> Span:
    """The span of a node; of one that was made up later, of what is in it or around it."""
    own = node.meta.get("span")
    if isinstance(own, Span):
        return own
    inside = _span_inside(node)
    if inside is not None:
        return inside
    above = node.parent
    while above is not None:
        span = above.meta.get("span")
        if isinstance(span, Span):
            return span
        above = above.parent
    return Span(0, 0)


def _span_inside(node: exp.Expr) -> Span | None:
    result: Span | None = None
    stack = list(node.iter_expressions())
    while stack:
        child = stack.pop()
        span = child.meta.get("span")
        if isinstance(span, Span):
            result = span if result is None else result.cover(span)
        else:
            stack.extend(child.iter_expressions())
    return result
