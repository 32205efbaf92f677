"""Predicates -> branches: the set of clock values at which a predicate is true.

Three-valued logic is kept by asking three questions of each predicate: when is it true, when is it
false, when is it NULL. NOT exchanges the first two; AND is true where all terms are and false where
one is; the answers are unions of intervals throughout (branches in disjunctive normal form).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import assert_never

from compiler.plan.conditions.absorption import absorbed
from compiler.plan.conditions.branches import Branch, Guard, Lower, Upper
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
from compiler.sql.lengths import interval_apart
from compiler.sqltypes import Kind

Branches = tuple[Branch, ...]

ALWAYS: Branches = (Branch(),)
NEVER: Branches = ()


class TooManyBranchesError(Exception):
    """The expansion of a predicate passes the limit; `branches` are some of it."""

    def __init__(self, branches: Branches) -> None:
        super().__init__(len(branches))
        self.branches = branches


def when_true(predicate: Predicate, limit: int) -> Branches:
    """The branches of a predicate.

    Raises:
        TooManyBranchesError: there are more than `limit`.
    """
    return _Algebra(limit).true(predicate)


class _Algebra:
    """When a predicate is true, false, NULL."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def true(self, predicate: Predicate) -> Branches:
        match predicate:
            case ClockAtom():
                return _atom(predicate)
            case Ordinary(expr=expr):
                return (Branch(guards=(_guard(expr),)),)
            case Constant(value=value):
                return ALWAYS if value is True else NEVER
            case Not(term=term):
                return self.false(term)
            case And(terms=terms):
                return self._all(self.true, terms)
            case Or(terms=terms):
                return self._any(self.true, terms)
            case IsNull(term=term):
                return self.null(term)
            case IsTrue(term=term):
                return self.true(term)
            case Choice():
                return self._choose(self.true, predicate)
            case _:
                assert_never(predicate)

    def false(self, predicate: Predicate) -> Branches:
        match predicate:
            case ClockAtom(op=op, bound=bound):
                return _atom(ClockAtom(op=_OPPOSITE[op], bound=bound, span=predicate.span))
            case Ordinary(expr=expr):
                guard = Guard(sql=f"NOT {expr.inside(Binding.NOT)}", binding=Binding.NOT)
                return (Branch(guards=(guard,)),)
            case Constant(value=value):
                return ALWAYS if value is False else NEVER
            case Not(term=term):
                return self.true(term)
            case And(terms=terms):
                return self._any(self.false, terms)
            case Or(terms=terms):
                return self._all(self.false, terms)
            case IsNull(term=term):
                return self.not_null(term)
            case IsTrue(term=term):
                return self.not_true(term)
            case Choice():
                return self._choose(self.false, predicate)
            case _:
                assert_never(predicate)

    def null(self, predicate: Predicate) -> Branches:
        match predicate:
            case ClockAtom(bound=bound):
                return (_known(bound, "IS NULL"),)
            case Ordinary(expr=expr):
                return (Branch(guards=(_is(expr.inside(Binding.COMPARISON), "NULL"),)),)
            case Constant(value=value):
                return ALWAYS if value is None else NEVER
            case Not(term=term):
                return self.null(term)
            case And(terms=terms):
                return self._undecided(self.not_false, terms)
            case Or(terms=terms):
                return self._undecided(self.not_true, terms)
            case IsNull() | IsTrue():
                return NEVER
            case Choice():
                return self._choose(self.null, predicate)
            case _:
                assert_never(predicate)

    def not_true(self, predicate: Predicate) -> Branches:
        """False or NULL."""
        if isinstance(predicate, Ordinary):
            operand = predicate.expr.inside(Binding.COMPARISON)
            return (Branch(guards=(_is(operand, "NOT TRUE"),)),)
        return self._union(self.false(predicate), self.null(predicate))

    def not_false(self, predicate: Predicate) -> Branches:
        """True or NULL."""
        if isinstance(predicate, Ordinary):
            operand = predicate.expr.inside(Binding.COMPARISON)
            return (Branch(guards=(_is(operand, "NOT FALSE"),)),)
        return self._union(self.true(predicate), self.null(predicate))

    def not_null(self, predicate: Predicate) -> Branches:
        """True or false. Of a comparison these touch: at any clock value it is one of them."""
        match predicate:
            case ClockAtom(bound=bound):
                return (_known(bound, "IS NOT NULL"),)
            case Not(term=term):
                return self.not_null(term)
            case _:
                return self._union(self.true(predicate), self.false(predicate))

    def _undecided(
        self, others: Callable[[Predicate], Branches], terms: tuple[Predicate, ...]
    ) -> Branches:
        """One term NULL and no other that decides: `others` tells when a term does not."""
        found: Branches = NEVER
        for place, term in enumerate(terms):
            rest = [others(each) for each in (*terms[:place], *terms[place + 1 :])]
            found = self._union(found, self._intersect(self.null(term), *rest))
        return found

    def _choose(self, ask: Callable[[Predicate], Branches], choice: Choice) -> Branches:
        first = self._intersect(self.true(choice.condition), ask(choice.then))
        second = self._intersect(self.not_true(choice.condition), ask(choice.otherwise))
        return self._union(first, second)

    def _all(self, ask: Callable[[Predicate], Branches], terms: tuple[Predicate, ...]) -> Branches:
        return self._intersect(*(ask(term) for term in terms))

    def _any(self, ask: Callable[[Predicate], Branches], terms: tuple[Predicate, ...]) -> Branches:
        return self._union(*(ask(term) for term in terms))

    def _union(self, *sets: Branches) -> Branches:
        return self._limited(absorbed(tuple(branch for each in sets for branch in each)))

    def _intersect(self, *sets: Branches) -> Branches:
        result = ALWAYS
        for each in sets:
            pairs = (_both(left, right) for left, right in product(result, each))
            result = self._limited(absorbed(tuple(pairs)))
        return result

    def _limited(self, branches: Branches) -> Branches:
        if len(branches) > self._limit:
            raise TooManyBranchesError(branches)
        return branches


_OPPOSITE = {
    Op.GE: Op.LT,
    Op.LT: Op.GE,
    Op.GT: Op.LE,
    Op.LE: Op.GT,
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
}


def _known(bound: Expr, what: str) -> Branch:
    """The rows whose bound `IS NULL` or `IS NOT NULL`: it is if it fails, not if out of range."""
    base, _ = interval_apart(bound.sql) or (bound.sql, "")
    exact = f"try_add(CAST({base} AS TIMESTAMP), INTERVAL 0 SECONDS) {what}"
    about = _about(bound)
    if about is None:
        return Branch(guards=(Guard(sql=exact, binding=Binding.COMPARISON),))
    # As in the runtime: within all time, what is NULL has failed.
    side = f"try_multiply(INTERVAL 1 SECOND, IF(abs({about}) > 9.2E12D, 1, NULL)) {what}"
    if what == "IS NULL":
        return Branch(guards=(Guard(sql=f"{exact} AND {side}", binding=Binding.AND),))
    return Branch(guards=(Guard(sql=f"{exact} OR {side}", binding=Binding.OR),))


def _guard(expr: Expr) -> Guard:
    return Guard(sql=expr.sql, binding=expr.binding)


def _is(operand: str, what: str) -> Guard:
    return Guard(sql=f"{operand} IS {what}", binding=Binding.COMPARISON)


def _atom(atom: ClockAtom) -> Branches:
    before, until = _upper(atom, strict=True), _upper(atom, strict=False)
    since, after = _lower(atom, strict=False), _lower(atom, strict=True)
    match atom.op:
        case Op.GE:
            return (Branch(lowers=(since,)),)
        case Op.GT:
            return (Branch(lowers=(after,)),)
        case Op.LT:
            return (Branch(uppers=(before,)),)
        case Op.LE:
            return (Branch(uppers=(until,)),)
        case Op.EQ:
            return (Branch(lowers=(since,), uppers=(until,)),)
        case Op.NE:
            return (Branch(uppers=(before,)), Branch(lowers=(after,)))
        case _:
            assert_never(atom.op)


def _lower(atom: ClockAtom, *, strict: bool) -> Lower:
    return Lower(
        bound=atom.bound.sql,
        strict=strict,
        is_timestamp=atom.bound.type.kind is Kind.TIMESTAMP,
        about=_about(atom.bound),
    )


def _upper(atom: ClockAtom, *, strict: bool) -> Upper:
    return Upper(
        bound=atom.bound.sql,
        strict=strict,
        is_timestamp=atom.bound.type.kind is Kind.TIMESTAMP,
        about=_about(atom.bound),
        span=atom.span,
    )


def _about(bound: Expr) -> str | None:
    size = bound.magnitude
    return size.sql if size is not None and size.is_far else None


def _both(left: Branch, right: Branch) -> Branch:
    return Branch(
        guards=tuple(dict.fromkeys((*left.guards, *right.guards))),
        lowers=tuple(dict.fromkeys((*left.lowers, *right.lowers))),
        uppers=tuple(dict.fromkeys((*left.uppers, *right.uppers))),
    )
