"""Conditions that read the clock, as a small algebra over ordinary SQL.

The binder turns WHERE into this form: comparisons with the clock become atoms with the clock on
the left, everything without the clock stays SQL. Three-valued logic is that of SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, assert_never

from compiler.source import Span
from compiler.sql.exprs import Clock, Expr


class Op(Enum):
    """How the clock, on the left, compares with a bound."""

    GE = ">="
    GT = ">"
    LT = "<"
    LE = "<="
    EQ = "="
    NE = "<>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockAtom:
    """`clock op bound`; `bound` is a moment and does not read the clock."""

    op: Op
    bound: Expr
    clock: Clock = Clock.WATERMARK
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinary:
    """A condition that does not read the clock."""

    expr: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """TRUE, FALSE or NULL."""

    value: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """NOT term."""

    term: Predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All terms."""

    terms: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """Any term."""

    terms: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IsNull:
    """`term IS NULL`."""

    term: Predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class IsTrue:
    """`term IS TRUE`: true or false, never NULL."""

    term: Predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`CASE WHEN condition THEN then ELSE otherwise END`."""

    condition: Predicate
    then: Predicate
    otherwise: Predicate


Predicate: TypeAlias = ClockAtom | Ordinary | Constant | Not | And | Or | IsNull | IsTrue | Choice


def clock_atoms(predicate: Predicate) -> Iterator[ClockAtom]:
    """The comparisons with a clock in a condition, in order."""
    match predicate:
        case ClockAtom():
            yield predicate
        case And(terms=terms) | Or(terms=terms):
            for each in terms:
                yield from clock_atoms(each)
        case Not(term=term) | IsNull(term=term) | IsTrue(term=term):
            yield from clock_atoms(term)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            for each in (condition, then, otherwise):
                yield from clock_atoms(each)
        case Ordinary() | Constant():
            return
        case _:
            assert_never(predicate)


def expressions_in(predicate: Predicate) -> Iterator[Expr]:
    """The bounds of the clock in a condition, and the ordinary conditions, in order."""
    match predicate:
        case ClockAtom(bound=expr) | Ordinary(expr=expr):
            yield expr
        case And(terms=terms) | Or(terms=terms):
            for each in terms:
                yield from expressions_in(each)
        case Not(term=term) | IsNull(term=term) | IsTrue(term=term):
            yield from expressions_in(term)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            for each in (condition, then, otherwise):
                yield from expressions_in(each)
        case Constant():
            return
        case _:
            assert_never(predicate)


def reads_of(predicate: Predicate) -> frozenset[str]:
    """The columns that a condition names, as written."""
    return frozenset(name for each in expressions_in(predicate) for name in each.reads)


def all_of(terms: list[Predicate]) -> Predicate:
    """Several conditions as one."""
    return terms[0] if len(terms) == 1 else And(terms=tuple(terms))
