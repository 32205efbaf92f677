"""Hints: `/*+ BROADCAST(a), COALESCE(3) */`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.syntax.from_tree.functions import call
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.syntax.from_tree.arguments import Arguments

# Hints whose arguments are tables.
_JOIN_HINTS = frozenset(
    words(
        "BROADCAST BROADCASTJOIN MAPJOIN MERGE SHUFFLEMERGE MERGEJOIN SHUFFLE_HASH "
        "SHUFFLE_REPLICATE_NL"
    )
)


def hint(*items: exp.Expression) -> exp.Hint:
    """All that one hint comment says."""
    return exp.Hint(expressions=list(items))


def hint_name(name: exp.Identifier) -> exp.Var:
    """A hint without arguments."""
    return exp.Var(this=name.this.upper())


def hint_call(name: exp.Identifier, given: Arguments | None) -> exp.Expression:
    """A hint with arguments: tables for joins, values for the rest."""
    _check_arguments(name, given)
    upper = name.this.upper()
    if upper not in _JOIN_HINTS:
        return call(name, given)
    tables = [_table(item) for item in given.items] if given else []
    return exp.JoinHint(this=upper, expressions=tables)


def _check_arguments(name: exp.Identifier, given: Arguments | None) -> None:
    if given is None:
        raise RefusalError(
            "TVF109",
            f"the hint {name.this} has nothing in its parentheses",
            help=f"leave out the parentheses: /*+ {name.this} */",
        )
    for item in given.items:
        if isinstance(item, (exp.Binary, exp.Not)) and not isinstance(item, (exp.Dot, exp.Func)):
            raise RefusalError(
                "TVF109",
                "the arguments of a hint are names and values, without operators",
                item.meta.get("span"),
                help="write the value itself, such as COALESCE(3)",
            )


def _table(item: exp.Expression) -> exp.Expression:
    if not isinstance(item, exp.Column):
        return item
    node = exp.Table(this=item.this, db=item.args.get("table"), catalog=item.args.get("db"))
    node.meta.update(item.meta)
    return node


RULES: tuple[Any, ...] = (hint, hint_call, hint_name)
