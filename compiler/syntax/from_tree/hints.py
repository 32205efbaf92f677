"""Hints: `/*+ BROADCAST(a), COALESCE(3) */`."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def hint_comment(text: str) -> exp.Hint:
    """A hint comment; sqlglot's own reader of hints serves, as their meaning is Spark's alone."""
    body = text[3:-2].strip()
    node = exp.maybe_parse(f" {body} ", into=exp.Hint, dialect="spark")
    assert isinstance(node, exp.Hint)
    return node


def hint(*items: exp.Expression | None) -> exp.Hint:
    """All that one hint comment says."""
    return exp.Hint(expressions=[item for item in items if item is not None])


def hint_item(name: exp.Identifier, *arguments: exp.Expression | None) -> exp.Expression:
    """One hint."""
    return exp.Anonymous(this=name.this, expressions=[each for each in arguments if each])


RULES: tuple[Any, ...] = (hint, hint_item)
