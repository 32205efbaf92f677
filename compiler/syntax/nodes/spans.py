"""Where a node stands in the text."""

from __future__ import annotations

from sqlglot import exp

from compiler.source import Span


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


def set_span(node: exp.Expression, span: Span) -> None:
    """Give a new node its span, and nodes made up with it one of what they hold, else the same."""
    node.meta["span"] = span
    if type(node) is exp.Not and node.this.meta_get("span") is None:
        # NOT IN, IS NOT and their kin are two nodes of one text.
        node.this.meta["span"] = span
    for value in node.args.values():
        if isinstance(value, exp.Expression):
            if value.meta_get("span") is None:
                _fill(value, span)
        elif type(value) is list:
            for each in value:
                if isinstance(each, exp.Expression) and each.meta_get("span") is None:
                    _fill(each, span)


def _fill(node: exp.Expression, span: Span) -> None:
    stack: list[tuple[exp.Expr, Span]] = [(node, span)]
    while stack:
        made_up, around = stack.pop()
        own = _span_inside(made_up) or around
        made_up.meta["span"] = own
        for child in made_up.iter_expressions():
            if child.meta_get("span") is None:
                stack.append((child, own))


def _span_inside(node: exp.Expr) -> Span | None:
    result: Span | None = None
    stack = list(node.iter_expressions())
    while stack:
        child = stack.pop()
        span = child.meta_get("span")
        if isinstance(span, Span):
            result = span if result is None else result.cover(span)
        else:
            stack.extend(child.iter_expressions())
    return result
