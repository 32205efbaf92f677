"""A statement's tree as text, for those who look at it."""

from __future__ import annotations

from sqlglot import exp

from compiler.secrets import is_secret
from compiler.syntax.nodes import SourceOption


def tree_text(tree: exp.Expression) -> str:
    """A statement's tree as text without secrets."""
    shown = tree.copy()
    for option in shown.find_all(SourceOption):
        if is_secret(option.this):
            option.set("expression", exp.Literal.string("***"))
    return repr(shown)
