"""Conditions as those of a join: what their terms say, by which relations, and what OR implies.

Before   WHERE (a.k = b.k AND a.x < 1) OR (b.k = a.k AND b.y > 2)
After    a.k = b.k holds, too: it stands in all branches
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.closings.time_bounds import Time, TimeBound, time_bounds
from compiler.bind.names.scope import Relation
from compiler.sql.names import same
from compiler.syntax.nodes import MzNow, ProcTime, WatermarkTs

_MIRRORED: dict[type[exp.Expression], type[exp.Expression]] = {exp.GT: exp.LT, exp.GTE: exp.LTE}
_NOT_IN_JOINS = (exp.Query, exp.Rand, exp.Randn, exp.Uuid, ProcTime, WatermarkTs, MzNow)
_OF_CHANCE = frozenset({"random", "shuffle", "monotonically_increasing_id", "spark_partition_id"})


@dataclass(frozen=True, slots=True)
class Term:
    """A term that holds for the rows of a query.

    Attributes:
        node: the condition.
        of: the places in FROM of the relations that it reads.
        whole: whether it is a term of a conjunction itself, not only implied by one.
    """

    node: exp.Expression
    of: frozenset[int]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose columns are whose in a FROM clause.

    Attributes:
        relations: those of FROM, in order.
        merged: the columns of USING, which are one column, in lower case.
    """

    relations: tuple[Relation, ...]
    merged: frozenset[str] = frozenset()

    def of(self, node: exp.Expression) -> frozenset[int] | None:
        """The places of the relations that a condition reads.

        None: a column is of none of them, or of several, or it is the clock.
        """
        found: set[int] = set()
        for column in node.find_all(exp.Column):
            first, *others = [each.name for each in column.parts]
            places = [n for n, each in enumerate(self.relations) if same(each.alias or "", first)]
            name = others[0] if places and others else first
            if not places or not others:
                places = [n for n, each in enumerate(self.relations) if each.column(first)]
            if not places or (len(places) > 1 and first.lower() not in self.merged):
                return None
            known = self.relations[places[0]].column(name)
            if known is None or known.is_clock:
                return None
            found.add(places[0])
        return frozenset(found)


def terms_of(condition: exp.Expression | None, known: Owners) -> list[Term]:
    """The terms that hold where a condition does and that a join may decide."""
    found: list[Term] = []
    for each in conjuncts(condition) if condition is not None else ():
        implied = _implied(each, known)
        for node in implied if each in implied else (*implied, each):
            of = known.of(node)
            if of is not None and not _is_unfit(node):
                found.append(Term(node, of, node is each))
    return found


def ties(term: exp.Expression, known: Owners, before: frozenset[int], place: int) -> bool:
    """Whether a term says that a value of one relation equals one of those before it."""
    inner = unwrapped(term)
    if not isinstance(inner, exp.EQ | exp.NullSafeEQ):
        return False
    sides = [known.of(each) for each in (inner.this, inner.expression)]
    own = frozenset((place,))
    pairs = (sides, sides[::-1])
    return any(one == own and other is not None and _within(other, before) for one, other in pairs)


def of_kept_side(
    terms: Sequence[exp.Expression], relations: Sequence[Relation], kind: str
) -> list[exp.Expression]:
    """The terms of ON that read the side alone that an outer join keeps, whose last is the right.

    Of the other side, and in an inner join, such a term is a filter below the join.
    """
    known, place = Owners(tuple(relations)), len(relations) - 1
    kept = {
        "left": frozenset(range(place)),
        "leftanti": frozenset(range(place)),
        "right": frozenset((place,)),
    }.get(kind, frozenset())
    return [each for each in terms if _within(known.of(each) or frozenset(), kept)]


def _within(some: frozenset[int], places: frozenset[int]) -> bool:
    return bool(some) and some <= places


def alternatives(node: exp.Expression) -> list[exp.Expression]:
    """The branches of a disjunction, in order; of any other condition the condition itself."""
    found: list[exp.Expression] = []
    stack = [node]
    while stack:
        each = stack.pop()
        inner = unwrapped(each)
        if isinstance(inner, exp.Or):
            stack.extend((inner.expression, inner.this))
        else:
            found.append(each)
    return found


def unwrapped(node: exp.Expression) -> exp.Expression:
    """A condition without the parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def bounds_between(
    terms: Sequence[exp.Expression], lefts: list[Relation], right: Relation
) -> tuple[TimeBound, ...]:
    """The time bounds that follow from terms, also from those in all branches of an OR."""
    found = list(time_bounds(list(terms), lefts, right))
    for term in terms:
        branches = alternatives(term)
        if len(branches) > 1:
            each = [bounds_between(conjuncts(one), lefts, right) for one in branches]
            found += _weakest(each)
    return tuple(dict.fromkeys(found))


def _weakest(branches: list[tuple[TimeBound, ...]]) -> list[TimeBound]:
    """What holds of the times in every one of several branches."""
    found: list[TimeBound] = []
    for ops, tightest, loosest in ((("<", "<="), min, max), ((">=", ">"), max, min)):
        of_all = [_sided(each, ops) for each in branches]

        def reach(bound: TimeBound, ops: tuple[str, str] = ops) -> tuple[timedelta, int]:
            return bound.length, ops.index(bound.op)

        for key in of_all[0]:
            if all(key in each for each in of_all):
                in_each = [tightest(each[key], key=reach) for each in of_all]
                found.append(loosest(in_each, key=reach))
    return found


def _sided(
    bounds: tuple[TimeBound, ...], ops: tuple[str, str]
) -> dict[tuple[Time, Time], list[TimeBound]]:
    """The bounds to one side, by what they compare; an equality bounds both."""
    found: dict[tuple[Time, Time], list[TimeBound]] = {}
    for each in bounds:
        op = next(one for one in ops if one.endswith("=")) if each.op == "=" else each.op
        if op in ops:
            found.setdefault((each.left, each.right), []).append(replace(each, op=op))
    return found


def _implied(node: exp.Expression, owners: Owners) -> list[exp.Expression]:
    """The terms that hold where a term does: itself, or what all branches of an OR have."""
    branches = alternatives(node)
    if len(branches) == 1:
        return [node]
    common: dict[str, exp.Expression] | None = None
    for branch in branches:
        terms = [term for each in conjuncts(branch) for term in _implied(each, owners)]
        known = {_key(term, owners): term for term in terms}
        common = known if common is None else {k: v for k, v in common.items() if k in known}
    return list((common or {}).values())


def _key(node: exp.Expression, owners: Owners) -> str:
    """One text for a comparison however it is written."""
    inner = unwrapped(node)
    kind = _MIRRORED.get(type(inner), type(inner))
    if isinstance(inner, exp.Binary):
        sides = [_text(inner.this, owners), _text(inner.expression, owners)]
        if kind is not type(inner):
            sides.reverse()
        if kind in (exp.EQ, exp.NullSafeEQ):
            sides.sort()
        return f"{kind.__name__} {' '.join(sides)}"
    return _text(inner, owners)


def _text(node: exp.Expression, owners: Owners) -> str:
    """A side of a comparison, its columns by the places of their relations."""

    def named(part: exp.Expression) -> exp.Expression:
        if not isinstance(part, exp.Column):
            return part
        names = [each.name.lower() for each in part.parts]
        places = owners.of(part) or ()
        if any(same(owners.relations[each].alias or "", names[0]) for each in places):
            names = names[1:] or names
        return exp.to_identifier(f"{sorted(places)} {names}", quoted=True)

    return unwrapped(node).copy().transform(named).sql("spark")


def _is_unfit(node: exp.Expression) -> bool:
    """Whether a condition has what Spark does not take in a join, or what no row decides."""
    if node.find(*_NOT_IN_JOINS):
        return True
    calls = node.find_all(exp.Anonymous)
    return any(each.name.lower() in _OF_CHANCE for each in calls)
