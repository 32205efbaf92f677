"""Clauses out of order, twice, or with nothing in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Label
from compiler.syntax.tokens.lexer import END
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_ORDER = words(
    "SELECT FROM JOIN LATERAL_VIEW WHERE GROUP_BY HAVING QUALIFY WINDOW ORDER_BY CLUSTER_BY "
    "DISTRIBUTE_BY SORT_BY LIMIT OFFSET EMIT_ON_WINDOW_CLOSE"
)
CLAUSES = {name: rank for rank, name in enumerate(_ORDER)}
CLAUSES["EMIT_CHANGES"] = CLAUSES["EMIT_ON_WINDOW_CLOSE"]

EMITS = frozenset({"EMIT_ON_WINDOW_CLOSE", "EMIT_CHANGES"})
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
_NEEDS = {
    "SELECT": "SELECT needs at least one expression",
    "FROM": "FROM needs a table",
    "JOIN": "JOIN needs a table",
    "WHERE": "WHERE needs a condition",
    "GROUP_BY": "GROUP BY needs at least one expression",
    "HAVING": "HAVING needs a condition",
    "QUALIFY": "QUALIFY needs a condition",
    "ORDER_BY": "ORDER BY needs at least one expression",
    "PARTITION_BY": "PARTITION BY needs at least one expression",
    "LIMIT": "LIMIT needs a number",
    "OFFSET": "OFFSET needs a number",
    "ON": "ON needs a condition",
    "WHEN": "WHEN needs a condition",
    "THEN": "THEN needs a value",
    "ELSE": "ELSE needs a value",
    "AS": "AS needs a name",
    "OVER": "OVER needs a window",
    "USING": "USING needs a list of columns",
    "VALUES": "VALUES needs rows",
    "UNION": "UNION needs a query behind it",
    "EXCEPT": "EXCEPT needs a query behind it",
    "INTERSECT": "INTERSECT needs a query behind it",
    "MINUS": "MINUS needs a query behind it",
    "ALL": "ALL needs a query behind it",
    "AND": "AND needs a condition behind it",
    "OR": "OR needs a condition behind it",
    "NOT": "NOT needs a condition behind it",
}
_OPERATORS = frozenset(
    words("= == <> != <=> < <= > >= + - * / % & | ^ || << >> DIV LIKE ILIKE RLIKE BETWEEN")
)
_ENDS = frozenset({END, ")", "]", ";", ",", "ON", "WHEN", "THEN", "ELSE", "END", "AND", "OR", "AS"})
_HELPS = {
    "SELECT": "write SELECT * for all columns",
    "FROM": "write FROM orders",
    "JOIN": "write JOIN customers ON a.id = b.id",
    "WHERE": "write WHERE price > 10, or leave it out",
    "GROUP_BY": "write GROUP BY id, or leave it out",
    "HAVING": "write HAVING count(*) > 1, or leave it out",
    "QUALIFY": "write QUALIFY row_number() OVER (...) <= 3, or leave it out",
    "ORDER_BY": "write ORDER BY id, or leave it out",
    "PARTITION_BY": "write PARTITION BY id, or leave it out",
    "LIMIT": "write LIMIT 10",
    "OFFSET": "write OFFSET 10",
    "ON": "write ON a.id = b.id",
    "WHEN": "write WHEN condition THEN value",
    "THEN": "write THEN value",
    "ELSE": "write ELSE NULL, or leave it out",
    "AS": "write AS name, or leave AS out",
    "OVER": "write OVER (PARTITION BY ... ORDER BY ...)",
    "USING": "write USING (id)",
    "VALUES": "write VALUES (1, 'a')",
    "UNION": "add SELECT ... behind it, or take it out",
    "EXCEPT": "add SELECT ... behind it, or take it out",
    "INTERSECT": "add SELECT ... behind it, or take it out",
}
_HELPS |= dict.fromkeys(("MINUS", "ALL", "DISTINCT"), _HELPS["UNION"])
_HELPS |= dict.fromkeys(("AND", "OR", "NOT"), "add a condition behind it, or take it out")


def partition_after_order(failure: Failure) -> Diagnostic | None:
    """`OVER (ORDER BY a PARTITION BY b)`."""
    if failure.kind != "PARTITION_BY":
        return None
    for place in _clauses_before(failure):
        if failure.tokens.types[place] in ("ORDER_BY", "SORT_BY"):
            earlier = _name(failure.tokens.types[place])
            other = Label(failure.tokens.span(place), "", primary=False)
            return failure.diagnostic(
                "TVF104",
                f"PARTITION BY must come before {earlier}",
                others=(other,),
                help=f"move PARTITION BY in front of {earlier}",
            )
    return None


def out_of_order(failure: Failure) -> Diagnostic | None:
    """`ORDER BY a WHERE b`: WHERE comes too late, or twice."""
    if failure.kind in _SET_OPERATORS and failure.kind_at(-1) in EMITS:
        return failure.diagnostic(
            "TVF104",
            f"{failure.kind_at(-1).replace('_', ' ')} belongs to the whole {failure.kind}",
            span=failure.span_at(-1),
            help="move it behind the last query, or put its own query in parentheses",
        )
    joins = "JOIN" in failure.tokens.types[: failure.index]
    rank = CLAUSES["JOIN"] if failure.kind == "ON" and joins else CLAUSES.get(failure.kind)
    if rank is None or failure.kind in ("SELECT", "JOIN"):
        return None
    name = _name(failure.kind)
    for place in _clauses_before(failure):
        earlier = failure.tokens.types[place]
        other = Label(failure.tokens.span(place), "", primary=False)
        if earlier == failure.kind:
            is_condition = name in ("WHERE", "HAVING")
            help_text = "join the conditions with AND" if is_condition else "leave one of them out"
            return failure.diagnostic(
                "TVF104", f"a query has only one {name}", others=(other,), help=help_text
            )
        if CLAUSES[earlier] > rank:
            return failure.diagnostic(
                "TVF104",
                f"{name} must come before {_name(earlier)}",
                others=(other,),
                help=f"move {name} in front of {_name(earlier)}",
            )
    return None


def _clauses_before(failure: Failure) -> list[int]:
    """The clauses of the same query before the token at fault, the latest rank first."""
    depth, places = 0, []
    for place in range(failure.index - 1, -1, -1):
        kind = failure.tokens.types[place]
        if kind == ")":
            depth += 1
        elif kind in ("(", "_LAMBDA_OPEN"):
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and kind in CLAUSES:
            places.append(place)
            if kind == "SELECT":
                break
        elif depth == 0 and kind in _SET_OPERATORS:
            break
    return sorted(places, key=lambda place: -CLAUSES[failure.tokens.types[place]])


def empty_clause(failure: Failure) -> Diagnostic | None:
    """`WHERE GROUP BY a`: nothing stands behind WHERE."""
    before = failure.kind_at(-1)
    ends = failure.kind in CLAUSES or failure.kind in _ENDS or failure.kind in _SET_OPERATORS
    if not ends:
        return _empty_limit(failure)
    is_star = before == "*" and failure.kind_at(-2) in ("(", ",", "SELECT", ".", "DISTINCT")
    if before in _OPERATORS and not is_star:
        return failure.diagnostic(
            "TVF117",
            f"`{failure.text_at(-1)}` needs a value behind it",
            "nothing stands behind it",
            span=failure.span_at(-1),
            help=f"write {failure.text_at(-1)} and a value, or take it out",
        )
    if before == "DISTINCT" and failure.kind_at(-2) == "SELECT":
        before = "SELECT"
    span, needs = failure.span_at(-1), _NEEDS.get(before)
    if before == "(" and failure.kind == ")" and failure.kind_at(-2) == "IN":
        span, needs = failure.span_at(-2), "IN needs at least one value"
    if needs is None:
        return _empty_limit(failure)
    helps = "write IN (1, 2), or IN (SELECT ...)" if before == "(" else _HELPS.get(before)
    if before == "ALL" and failure.kind_at(-2) in _SET_OPERATORS:
        span = failure.span_at(-2).cover(span)
        needs = f"{failure.kind_at(-2)} {needs}"
    if before == "AS" and "ARRAY_<" in failure.acceptable:
        needs, helps = "AS needs a type here", "write AS INT, or whatever the type is"
    return failure.diagnostic("TVF117", needs, "nothing stands behind it", span=span, help=helps)


def condition_without_join(failure: Failure) -> Diagnostic | None:
    """`FROM a, b ON a.x = b.x`, and an EMIT of other words, which was read as an alias."""
    if failure.kind == "ON" and failure.text_at(-1).upper() == "EMIT":
        return failure.diagnostic(
            "TVF117",
            "EMIT is not followed by ON WINDOW CLOSE",
            span=failure.span_at(-1),
            help="write EMIT ON WINDOW CLOSE, or EMIT CHANGES EVERY INTERVAL 10 SECONDS",
        )
    if failure.kind != "ON" or "JOIN" in failure.tokens.types[: failure.index]:
        return None
    return failure.diagnostic(
        "TVF117", "ON belongs to a JOIN", help="write a JOIN b ON condition, or use WHERE"
    )


def _empty_limit(failure: Failure) -> Diagnostic | None:
    """LIMIT and OFFSET with nothing behind them were read as names."""
    for offset in (0, -1):
        word = failure.text_at(offset).upper()
        if word in ("LIMIT", "OFFSET") and failure.kind_at(offset + 1) in _ENDS:
            return failure.diagnostic(
                "TVF117",
                _NEEDS[word],
                "nothing stands behind it",
                span=failure.span_at(offset),
                help=f"write {word} 10",
            )
    return None


def trailing_comma(failure: Failure) -> Diagnostic | None:
    """`SELECT a, FROM t`."""
    if failure.kind_at(-1) != ",":
        return None
    if not (failure.kind in CLAUSES or failure.kind in (END, ")", "]", ",", "AS")):
        return None
    help_text = "take the comma out"
    message = "two commas in a row" if failure.kind == "," else "a comma with nothing behind it"
    return failure.diagnostic("TVF115", message, span=failure.span_at(-1), help=help_text)


def _name(kind: str) -> str:
    return kind.replace("_", " ")
