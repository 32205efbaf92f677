"""Strings with a collation, which are equal, or in order, by the rules of a language.

Spark's state of groups and the operators of the runtime compare bytes. Where a column's collation
is known only to Spark, the runtime refuses it as the job starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn
from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.sqltypes import SqlType
from compiler.syntax import span_of

_COLLATE = re.compile(r"\bCOLLATE\b(?!\s+UTF8_BINARY\b)", re.IGNORECASE)


def refuse_collations(
    what: str, compared: Iterable[exp.Expression], binder: ExpressionBinder
) -> bool:
    """Report values that are compared and have a collation, each once; whether there are any."""
    values = [each.this if isinstance(each, exp.Ordered) else each for each in compared]
    collated = [each for each in values if _is_collated(each, binder)]
    for each in dict.fromkeys(collated):
        refuse_collation(what, span_of(each), binder.problems)
    return bool(collated)


def refuse_collated_windows(
    what: str, windows: Iterable[exp.Window], binder: ExpressionBinder
) -> bool:
    """Report keys of window functions that have a collation; whether there are any."""
    keys: list[exp.Expression] = []
    for each in windows:
        order = each.args.get("order")
        keys += [*(each.args.get("partition_by") or ()), *(order.expressions if order else ())]
    return refuse_collations(what, keys, binder)


def refuse_collated_columns(
    what: str, columns: Iterable[OutColumn], place: Span, problems: Problems
) -> None:
    """Report rows that are compared by columns some of which have a collation."""
    if any(has_collation(each.type) for each in columns):
        refuse_collation(what, place, problems)


def refuse_collate_in_keys(terms: Iterable[exp.Expression], problems: Problems) -> None:
    """Report an equality of a join of streams that says by which collation.

    Spark keeps what is looked up by the keys of collations only where columns have them.
    """
    for term in terms:
        bare = term.unnest()
        sides = (bare.this, bare.expression) if isinstance(bare, exp.EQ | exp.NullSafeEQ) else ()
        if any(side.find(exp.Collate) is not None for side in sides):
            problems.add(
                "TVF501",
                "COLLATE in an equality of a join of streams is not supported yet",
                span_of(term),
                "looked up by a collation",
                advice="declare the columns with the collation, `k STRING COLLATE UTF8_LCASE`, or "
                "write lower(…) on both sides",
            )


def has_collation(kind: SqlType) -> bool:
    """Whether values are strings with a collation, or have some in them."""
    return kind.mentions(_COLLATE)


def _is_collated(value: exp.Expression, binder: ExpressionBinder) -> bool:
    kind = binder.bind(value).type
    is_cast = isinstance(value, exp.Cast)
    return has_collation(kind) or (not is_cast and value.find(exp.Collate) is not None)


def refuse_collation(what: str, place: Span, problems: Problems) -> None:
    """Report one."""
    problems.add(
        "TVF501",
        f"a collation in {what} is not supported yet",
        place,
        "compared by its collation",
        advice="write lower(CAST(x AS STRING)), or leave the collation out",
    )
