"""Branches of random conditions against SQL's three-valued logic, clock value by clock value.

The oracle knows nothing of branches: it evaluates a condition as SQL does, at one clock value. The
guards of branches are SQL, and SQLite evaluates them, so that a guard that lacks parentheses shows.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.plan.conditions.algebra import TooManyBranchesError, when_true
from compiler.plan.conditions.branches import Branch, guard_sql
from compiler.plan.conditions.predicates import (
    And,
    Choice,
    ClockAtom,
    Constant,
    IsNull,
    IsTrue,
    Not,
    Op,
    Or,
    Ordinary,
    Predicate,
)
from compiler.sql.exprs import Binding, Expr

FLAGS = ("a", "b")
MOMENTS = ("s", "t")
Row = dict[str, int | None]

ROWS: list[Row] = [
    dict(zip((*FLAGS, *MOMENTS), values, strict=True))
    for values in product((None, 0, 1), (None, 0, 1), (None, 10, 20), (None, 10, 15))
]
# Every bound, and the values beside it.
CLOCK = (8, 9, 10, 11, 12, 14, 15, 16, 19, 20, 21, 22)

# Few, so that contrary ones, and ones that only look so, often meet.
COMPOUND = (
    ("a OR b", Binding.OR),
    ("NOT a OR b", Binding.OR),
    ("a AND b", Binding.AND),
    ("NOT a", Binding.NOT),
    ("NOT a IS NULL", Binding.NOT),
    ("a = b", Binding.COMPARISON),
    ("a", Binding.ATOM),
)
ordinary = st.sampled_from([Ordinary(expr=Expr(sql=sql, binding=how)) for sql, how in COMPOUND])
atoms = st.builds(
    ClockAtom,
    op=st.sampled_from(Op),
    bound=st.sampled_from([Expr(sql=name) for name in MOMENTS]),
)
constants = st.builds(Constant, value=st.sampled_from([True, False, None]))


def _combined(terms: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    several = st.lists(terms, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, term=terms),
        st.builds(And, terms=several),
        st.builds(Or, terms=several),
        st.builds(IsNull, term=terms),
        st.builds(IsTrue, term=terms),
        st.builds(Choice, condition=terms, then=terms, otherwise=terms),
    )


predicates: st.SearchStrategy[Predicate] = st.recursive(
    st.one_of(atoms, ordinary, constants), _combined, max_leaves=7
)


def truth(predicate: Predicate, row: Row, clock: int) -> bool | None:
    """What SQL says of a condition when the clock is `clock`; None is NULL."""
    match predicate:
        case ClockAtom(op=op, bound=bound):
            moment = row[bound.sql]
            return None if moment is None else _compare(clock, op, moment)
        case Ordinary(expr=expr):
            return in_sql(expr.sql, row)
        case Constant(value=value):
            return value
        case Not(term=term):
            inner = truth(term, row, clock)
            return None if inner is None else not inner
        case And(terms=terms):
            return _decided_by(decisive=False, values=[truth(each, row, clock) for each in terms])
        case Or(terms=terms):
            return _decided_by(decisive=True, values=[truth(each, row, clock) for each in terms])
        case IsNull(term=term):
            return truth(term, row, clock) is None
        case IsTrue(term=term):
            return truth(term, row, clock) is True
        case Choice(condition=condition, then=then, otherwise=otherwise):
            chosen = then if truth(condition, row, clock) is True else otherwise
            return truth(chosen, row, clock)


def _compare(clock: int, op: Op, moment: int) -> bool:
    return {
        Op.GE: clock >= moment,
        Op.GT: clock > moment,
        Op.LT: clock < moment,
        Op.LE: clock <= moment,
        Op.EQ: clock == moment,
        Op.NE: clock != moment,
    }[op]


def _decided_by(*, decisive: bool, values: Iterable[bool | None]) -> bool | None:
    """AND (decided by False) or OR (decided by True)."""
    found = set(values)
    if decisive in found:
        return decisive
    return None if None in found else not decisive


DATABASE = sqlite3.connect(":memory:", check_same_thread=False)


@cache
def _evaluated(sql: str) -> list[bool | None]:
    """A condition for each of ROWS; a bound that is a moment as good as it is."""
    plain = re.sub(r"try_add\(CAST\((\w+) AS TIMESTAMP\), INTERVAL 0 SECONDS\)", r"\1", sql)
    listed = ", ".join(
        "(" + ", ".join("NULL" if value is None else str(value) for value in row.values()) + ")"
        for row in ROWS
    )
    query = f"WITH r(a, b, s, t) AS (VALUES {listed}) SELECT {plain} FROM r"
    return [None if value is None else bool(value) for (value,) in DATABASE.execute(query)]


def in_sql(sql: str, row: Row) -> bool | None:
    return _evaluated(sql)[ROWS.index(row)]


def admits(branch: Branch, row: Row, clock: int) -> bool:
    """Whether a row is in the result by this branch when the clock is `clock`."""
    guards = guard_sql(branch)
    if guards and in_sql(" AND ".join(guards), row) is not True:
        return False
    lowers = [(row[each.bound], each.strict) for each in branch.lowers]
    uppers = [(row[each.bound], each.strict) for each in branch.uppers]
    if any(moment is None for moment, _ in (*lowers, *uppers)):
        return False
    return all(
        clock > moment if strict else clock >= moment
        for moment, strict in lowers
        if moment is not None
    ) and all(
        clock < moment if strict else clock <= moment
        for moment, strict in uppers
        if moment is not None
    )


@settings(max_examples=80, deadline=None)
@given(predicate=predicates)
def test_branches_are_the_clock_values_at_which_a_condition_is_true(predicate: Predicate) -> None:
    branches = when_true(predicate, 10_000)
    for row in ROWS:
        expected = [clock for clock in CLOCK if truth(predicate, row, clock) is True]
        found = [clock for clock in CLOCK if any(admits(each, row, clock) for each in branches)]
        assert found == expected, (row, branches)


def flag(sql: str, binding: Binding = Binding.ATOM) -> Ordinary:
    return Ordinary(expr=Expr(sql=sql, binding=binding))


def clock(op: Op, bound: str) -> ClockAtom:
    return ClockAtom(op=op, bound=Expr(sql=bound))


def texts(predicate: Predicate, limit: int = 64) -> list[tuple[str, str, str]]:
    """Guard, lower bounds and upper bounds of each branch, as text."""
    return [
        (
            " AND ".join(guard_sql(branch)),
            " ".join(f"{'>' if each.strict else '>='} {each.bound}" for each in branch.lowers),
            " ".join(f"{'<' if each.strict else '<='} {each.bound}" for each in branch.uppers),
        )
        for branch in when_true(predicate, limit)
    ]


@pytest.mark.parametrize(
    ("op", "pieces"),
    [
        (Op.GE, [("", ">= t", "")]),
        (Op.GT, [("", "> t", "")]),
        (Op.LT, [("", "", "< t")]),
        (Op.LE, [("", "", "<= t")]),
        (Op.EQ, [("", ">= t", "<= t")]),
        (Op.NE, [("", "", "< t"), ("", "> t", "")]),
    ],
)
def test_a_comparison_is_one_interval_or_two(op: Op, pieces: list[tuple[str, str, str]]) -> None:
    assert texts(clock(op, "t")) == pieces


def test_not_exchanges_the_bounds() -> None:
    assert texts(Not(term=clock(Op.LT, "t"))) == [("", ">= t", "")]
    assert texts(Not(term=clock(Op.NE, "t"))) == [("", ">= t", "<= t")]


def test_a_branch_within_another_is_left_out() -> None:
    narrow = And(terms=(flag("a"), clock(Op.GE, "t")))
    assert texts(Or(terms=(narrow, clock(Op.GE, "t")))) == [("", ">= t", "")]
    assert texts(Or(terms=(narrow, narrow))) == [("a", ">= t", "")]


def test_a_branch_that_no_row_can_take_is_left_out() -> None:
    either = Or(terms=(And(terms=(flag("a"), Not(term=flag("a")))), clock(Op.GE, "t")))
    assert texts(either) == [("", ">= t", "")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Not what they look like: NOT binds more tightly than OR, and less tightly than IS.
        (flag("a OR b", Binding.OR), flag("NOT a OR b", Binding.OR)),
        (flag("NOT a", Binding.NOT), flag("NOT a IS NULL", Binding.NOT)),
    ],
)
def test_conditions_that_only_look_contrary_are_kept(first: Ordinary, second: Ordinary) -> None:
    (branch,) = when_true(And(terms=(first, second, clock(Op.GE, "t"))), 64)
    assert {guard.sql for guard in branch.guards} == {first.expr.sql, second.expr.sql}


def test_what_is_true_or_false_is_so_at_once() -> None:
    """The pieces of `(c >= t) IS NOT NULL` touch: they are one, without bounds."""
    (branch,) = when_true(Not(term=IsNull(term=clock(Op.GE, "t"))), 64)
    assert (branch.lowers, branch.uppers) == ((), ())
    assert [admits(branch, row, 9) for row in ROWS] == [row["t"] is not None for row in ROWS]


def chain(length: int) -> Predicate:
    """A conjunction of alternatives: 2 ** length branches, none of which contains another."""
    return And(
        terms=tuple(
            Or(terms=(flag(f"x{number}"), clock(Op.GE, f"t{number}"))) for number in range(length)
        )
    )


def test_the_number_of_branches_has_a_limit() -> None:
    assert len(when_true(chain(6), 64)) == 64
    with pytest.raises(TooManyBranchesError) as caught:
        when_true(chain(7), 64)
    assert len(caught.value.branches) > 64


def test_alternatives_of_one_kind_do_not_count_twice() -> None:
    same = Or(terms=tuple(clock(Op.GE, "t") for _ in range(500)))
    assert texts(same, limit=1) == [("", ">= t", "")]
