"""Mistakes in expressions: what IS, NOT, BETWEEN, CASE and the operators need beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.source import Span
from compiler.syntax.tokens.lexer import END
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_IS = "IS takes NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM"
_PREDICATES = frozenset(
    words("IN LIKE ILIKE RLIKE REGEXP BETWEEN IS = == <> != < <= > >= <=> AND OR / || % DIV")
)
# What stands behind the first name of a further condition.
_FOLLOWING = frozenset(words("= == <> != < <= > >= <=> IN LIKE BETWEEN IS RLIKE ILIKE NOT ."))


def wrong_condition(failure: Failure) -> Diagnostic | None:
    """What the words of a condition want."""
    for detector in (
        _wrong_is,
        _bare_not,
        _nothing_before,
        _unfinished_between,
        _case_without_when,
        _second_else,
        _empty_branch,
        _second_alias,
        _lambda_outside,
        _date_without_quotes,
        _regular_expression,
        _numbered_parameter,
        _if_then,
    ):
        diagnostic = detector(failure)
        if diagnostic is not None:
            return diagnostic
    return None


def _at(failure: Failure) -> Span:
    return Span(failure.span.start, failure.span.start)


def _wrong_is(failure: Failure) -> Diagnostic | None:
    """`a IS 3`, `a IS NOT`."""
    offset = -2 if failure.kind_at(-1) == "NOT" else -1
    if failure.kind_at(offset) != "IS" or "NULL" not in failure.acceptable:
        return None
    ends = failure.kind in (END, ")", ",", "AND", "OR")
    return failure.diagnostic(
        "TVF109" if not ends else "TVF117",
        _IS,
        span=failure.span_at(offset).cover(failure.span_at(-1) if ends else failure.span),
        help="write IS NULL, or compare values with =",
    )


def _bare_not(failure: Failure) -> Diagnostic | None:
    """`a NOT (1, 2)`."""
    follows_operand = failure.kind_at(-1) == "NOT" and "BETWEEN" in failure.acceptable
    if not follows_operand or not failure.mends((_at(failure), " IN ")):
        return None
    return failure.diagnostic(
        "TVF117",
        "NOT between two values needs IN, LIKE or BETWEEN behind it",
        span=failure.span_at(-1),
        help="write NOT IN (...)",
    )


def _nothing_before(failure: Failure) -> Diagnostic | None:
    """`WHERE = 3`, `NOT IN (1)`: an operator where a value is wanted."""
    wanted = {"NAME", "NUMBER", "CASE"} <= failure.acceptable
    begins = failure.kind_at(-1) in ("WHERE", "ON", "HAVING", "WHEN", "NOT", "SELECT", "(", ",")
    if failure.kind not in _PREDICATES or not wanted or not begins:
        return None
    if failure.kind_at(-1) == "(" and failure.kind == "AS":
        return None
    return failure.diagnostic(
        "TVF117",
        f"`{failure.text}` needs a value before it",
        "nothing stands before it",
        help=f"write a value or a column before it, such as price {failure.text} ...",
    )


def _unfinished_between(failure: Failure) -> Diagnostic | None:
    """`a BETWEEN (1, 5)`, `ROWS BETWEEN 1 PRECEDING`."""
    recent = failure.tokens.types[max(0, failure.index - 8) : failure.index]
    if "BETWEEN" not in recent or "AND" in recent or "AND" not in failure.acceptable:
        return None
    if failure.kind not in (END, ")", ",", "ORDER_BY", "GROUP_BY", "OR", "THEN"):
        return None
    offset = recent[::-1].index("BETWEEN") + 1
    is_frame = failure.kind_at(-offset - 1) in ("ROWS", "RANGE")
    example = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW" if is_frame else "BETWEEN 1 AND 5"
    return failure.diagnostic(
        "TVF117",
        "BETWEEN needs AND and a second bound",
        span=failure.span_at(-offset),
        help=f"write {example}",
    )


def _case_without_when(failure: Failure) -> Diagnostic | None:
    if failure.kind != "THEN" or "WHEN" not in failure.acceptable:
        return None
    return failure.diagnostic(
        "TVF117",
        "CASE needs WHEN before its condition",
        help="write CASE WHEN condition THEN value END",
    )


def _second_else(failure: Failure) -> Diagnostic | None:
    is_inside = "END" in failure.acceptable and "ELSE" in failure.tokens.types[: failure.index]
    if failure.kind not in ("ELSE", "WHEN") or not is_inside or "WHEN" in failure.acceptable:
        return None
    if failure.kind == "WHEN":
        return failure.diagnostic("TVF104", "WHEN must come before ELSE", help="move it there")
    return failure.diagnostic(
        "TVF104", "a CASE has only one ELSE", help="write WHEN condition THEN for the others"
    )


def _empty_branch(failure: Failure) -> Diagnostic | None:
    """`ELSE END`: END was read as a column."""
    word = failure.kind_at(-2)
    if failure.text_at(-1).upper() != "END" or word not in ("ELSE", "THEN"):
        return None
    return failure.diagnostic(
        "TVF117",
        f"{word} needs a value",
        "nothing stands behind it",
        span=failure.span_at(-2),
        help="write ELSE NULL, or leave out ELSE" if word == "ELSE" else "write THEN value",
    )


def _second_alias(failure: Failure) -> Diagnostic | None:
    if failure.kind != "AS" or failure.kind_at(-2) != "AS":
        return None
    return failure.diagnostic(
        "TVF109", "a value has only one name", "the second", help="leave out one of the two"
    )


def _lambda_outside(failure: Failure) -> Diagnostic | None:
    """`SELECT a -> 'b'`, `(x, y -> x + y)`."""
    if failure.kind != "PARAMETER" or failure.kind_at(1) != "->":
        return None
    if failure.kind_at(2) in ("STRING", ">"):
        return failure.diagnostic(
            "TVF118",
            "`->` does not read a field",
            span=failure.span_at(1),
            help="write get_json_object(a, '$.b'), or a.b for a struct",
        )
    return failure.diagnostic(
        "TVF109",
        "a lambda is an argument of a call",
        help="write transform(a, x -> x + 1); several parameters stand in parentheses: (x, y) ->",
    )


def _date_without_quotes(failure: Failure) -> Diagnostic | None:
    """`DATE 2024-01-01`."""
    word = failure.text_at(-1).upper()
    if failure.kind != "NUMBER" or word not in ("DATE", "TIMESTAMP", "TIME"):
        return None
    return failure.diagnostic(
        "TVF107",
        f"{word} takes a text in quotes",
        span=failure.span_at(-1).cover(failure.span),
        help=f"write {word} '{'12:30:00' if word == 'TIME' else '2024-02-29'}'",
    )


def _regular_expression(failure: Failure) -> Diagnostic | None:
    """`a ~ 'x'`, as PostgreSQL writes it."""
    if failure.kind != "~":
        return None
    return failure.diagnostic(
        "TVF118", "`~` does not compare", help="write RLIKE and a regular expression"
    )


def _numbered_parameter(failure: Failure) -> Diagnostic | None:
    if failure.kind != "NUMBER" or failure.kind_at(-1) != ":":
        return None
    return failure.diagnostic(
        "TVF103",
        "a parameter has a name, no number",
        span=failure.span_at(-1).cover(failure.span),
        help="write :name, or ? for the next parameter",
    )


def _if_then(failure: Failure) -> Diagnostic | None:
    """`if a > 1 then 2 else 3`, `IF(a THEN b)`."""
    texts = [text.upper() for text in failure.tokens.texts]
    before = texts[max(0, failure.index - 8) : failure.index]
    if "IF" not in before or "THEN" not in texts[failure.index :] or "CASE" in texts:
        return None
    place = failure.index - 1 - before[::-1].index("IF")
    return failure.diagnostic(
        "TVF118",
        "IF is a function of three arguments",
        span=failure.tokens.span(place),
        help="write IF(condition, a, b), or CASE WHEN condition THEN a ELSE b END",
    )


def missing_connector(failure: Failure) -> Diagnostic | None:
    """`WHERE a = 1 b = 2`: two conditions side by side."""
    begins = failure.kind in ("NAME", "QUOTED_NAME", "NOT", "EXISTS", "(")
    if not begins or "OR" not in failure.acceptable or failure.kind_at(1) not in _FOLLOWING:
        return None
    if not failure.mends((_at(failure), " AND ")):
        return None
    return failure.diagnostic(
        "TVF117",
        f"AND or OR is missing before `{failure.text}`",
        "expected AND or OR",
        help="join the conditions with AND or OR",
    )
