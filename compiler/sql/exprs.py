"""SQL expressions in a plan: text, type and what they read; opaque to every later stage.

A plan carries the user's own SQL, comments and line breaks taken out: what Spark is given is what
was written, not a paraphrase of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from sqlglot import exp

from compiler.source import SourceText, Span
from compiler.sqltypes import UNKNOWN, SqlType
from compiler.syntax.tokens.lexer import tokenize


class Clock(Enum):
    """A clock of queries: the least watermark of the sources, or the wall clock."""

    WATERMARK = "WATERMARK_TS()"
    WALL = "mz_now()"

    @property
    def column(self) -> str:
        """The name under which it is read in a SELECT list."""
        return {Clock.WATERMARK: "__watermark", Clock.WALL: "__mz_now"}[self]


def shown_clocks(sql: str) -> str:
    """SQL with the clocks as the user writes them."""
    for clock in Clock:
        sql = sql.replace(clock.column, clock.value)
    return sql


class Binding(IntEnum):
    """How tightly the outermost operator of an expression binds."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    BITWISE = 5
    ARITHMETIC = 6
    ATOM = 7


@dataclass(frozen=True, slots=True)
class Magnitude:
    """How large a moment or an interval is, roughly: seconds, as SQL of a DOUBLE.

    `is_far` tells that it may be more than a thousand years away from where it is counted.
    """

    sql: str
    is_far: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expr:
    """A SQL expression.

    Attributes:
        sql: its text, for Spark.
        type: its type, as far as sqlglot can tell.
        binding: of its outermost operator.
        reads: the columns that it names, as written, in order.
        clock: the clock that it reads under its column's name, if it reads one.
        magnitude: of a bound of the clock, if it is known.
    """

    sql: str
    type: SqlType = UNKNOWN
    binding: Binding = Binding.ATOM
    reads: tuple[str, ...] = ()
    clock: Clock | None = None
    magnitude: Magnitude | None = field(default=None, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)

    @property
    def reads_clock(self) -> bool:
        """Whether its value depends on a clock."""
        return self.clock is not None

    def inside(self, outer: Binding) -> str:
        """The text as an operand of an operator, in parentheses if need be."""
        return self.sql if self.binding > outer else f"({self.sql})"


def flat_text(source: SourceText, span: Span, replaced: Mapping[Span, str] | None = None) -> str:
    """The source of a span on one line, without comments, some parts replaced."""
    text = source.slice(span)
    tokens = tokenize(text)
    pieces: list[str] = []
    swaps = {place.start - span.start: (place, new) for place, new in (replaced or {}).items()}
    position = skip_to = 0
    for start, end, token in zip(tokens.starts, tokens.ends, tokens.texts, strict=True):
        if start < skip_to or start == end:
            continue
        gap = " " if pieces and start > position else ""
        if start in swaps:
            place, new = swaps[start]
            pieces.append(gap + new)
            position = skip_to = place.end - span.start
            continue
        pieces.append(gap + text[start:end] if token else "")
        position = end
    return "".join(pieces)


def renamed(sql: str, names: Mapping[str, str]) -> str:
    """SQL with other names for the columns that it reads.

    Strings, functions and parts of longer names that happen to look the same stay as they are.
    """
    tokens = tokenize(sql)
    ends = set(tokens.ends)
    pieces: list[str] = []
    position = 0
    for start in tokens.starts:
        if start < position or sql[:start].rstrip().endswith("."):
            continue
        for old in sorted(names, key=len, reverse=True):
            end = start + len(old)
            is_function = sql[end:].lstrip().startswith("(")
            if sql.startswith(old, start) and end in ends and not is_function:
                pieces += [sql[position:start], names[old]]
                position = end
                break
    return "".join([*pieces, sql[position:]])


_BITWISE = (
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor),
    *(exp.BitwiseLeftShift, exp.BitwiseRightShift),
)

_BINDINGS: tuple[tuple[type, Binding], ...] = (
    (exp.Or, Binding.OR),
    (exp.And, Binding.AND),
    (exp.Not, Binding.NOT),
    (exp.Column, Binding.ATOM),
    (exp.Dot, Binding.ATOM),
    (exp.Paren, Binding.ATOM),
    (exp.Predicate, Binding.COMPARISON),
    (exp.Escape, Binding.COMPARISON),
    (exp.Func, Binding.ATOM),
    *((kind, Binding.BITWISE) for kind in _BITWISE),
    (exp.Binary, Binding.ARITHMETIC),
    (exp.Unary, Binding.ARITHMETIC),
)


def binding_of(node: exp.Expression) -> Binding:
    """How tightly a node's outermost operator binds."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == "SHIFTRIGHTUNSIGNED":
        return Binding.BITWISE  # `a >>> b`, for which sqlglot has no node.
    return next((binding for kind, binding in _BINDINGS if isinstance(node, kind)), Binding.ATOM)


def equal(one: Expr, other: Expr) -> Expr:
    """That two values are equal."""
    return Expr(
        sql=" = ".join(each.inside(Binding.COMPARISON) for each in (one, other)),
        binding=Binding.COMPARISON,
        reads=tuple(dict.fromkeys((*one.reads, *other.reads))),
    )


def conjunction(terms: tuple[Expr, ...]) -> Expr:
    """All of several conditions as one."""
    if len(terms) == 1:
        return terms[0]
    return Expr(
        sql=" AND ".join(term.inside(Binding.OR) for term in terms),
        binding=Binding.AND,
        reads=tuple(dict.fromkeys(name for term in terms for name in term.reads)),
    )


def all_terms(terms: Sequence[Expr]) -> Expr | None:
    """Several conditions as one."""
    return conjunction(tuple(terms)) if terms else None
