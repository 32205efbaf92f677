"""Conditions on the clock and closing: rows that wait come later, and so do their groups close.

Before   ts closes when the clock has passed it
After    above `ts + INTERVAL 5 MINUTES <= WATERMARK_TS()` it closes five minutes later
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum

from sqlglot import exp

from compiler.bind.closings.joins import BOUNDS, how_much_later, is_same_moment
from compiler.bind.closings.time_bounds import Time
from compiler.bind.names.scope import OutColumn, Relation
from compiler.plan.closings.closing import Closing
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
from compiler.sql.constants import number_of
from compiler.sql.exprs import Expr
from compiler.sql.lengths import length_of
from compiler.sql.names import qualified, quoted_name, same
from compiler.sql.texts import parsed

ZERO = timedelta(0)


def held_by_clock(relations: Iterable[Relation], predicate: Predicate) -> list[Relation]:
    """Relations whose rows wait until a predicate is true; what has no bound closes no more."""
    known = list(relations)
    return [
        replace(
            relation,
            columns=tuple(_held(each, relation, known, predicate) for each in relation.columns),
        )
        for relation in known
    ]


def _held(
    column: OutColumn, owner: Relation, relations: list[Relation], predicate: Predicate
) -> OutColumn:
    if column.closing is None:
        return column
    wait = _latest(predicate, _Target(column, owner, relations))
    if not isinstance(wait, _Wait):
        return column
    if wait.time is None:
        return replace(column, closing=None)
    own = column.closing
    after = own.after or (wait.after and wait.time >= own.later)
    return replace(column, closing=replace(own, later=max(own.later, wait.time), after=after))


class Never(Enum):
    """No row satisfies a condition."""

    NEVER = "never"


NEVER = Never.NEVER


@dataclass(frozen=True, slots=True)
class _Wait:
    """How long rows wait at most after the moment and reach of a column; None: without a bound.

    `after` tells that the clock must pass that, not only reach it, `always` that the condition is
    true some day for each row that has the column.
    """

    time: timedelta | None
    after: bool = False
    always: bool = False


@dataclass(frozen=True, slots=True)
class _Target:
    """A column that the clock closes, among those of its row."""

    column: OutColumn
    owner: Relation
    relations: list[Relation]

    def wait(self, bound: Expr, *, strict: bool) -> _Wait:
        """How long a row waits for the clock to reach a bound, or to pass it."""
        for relation in self.relations:
            for other in relation.columns:
                if other.closing is None:
                    continue
                added = _added(bound.sql, other, relation, other.closing)
                if added is not None:
                    return self._wait(relation, other, other.closing, added, strict=strict)
        return _Wait(None)

    def _wait(
        self,
        owner: Relation,
        other: OutColumn,
        waits_for: Closing,
        added: timedelta,
        *,
        strict: bool,
    ) -> _Wait:
        own = self.column.closing or Closing()
        mine = Time(alias=self.owner.alias or "", column=self.column)
        ahead = how_much_later(mine, Time(alias=owner.alias or "", column=other))
        if ahead is None:
            return _Wait(None)
        time = ahead + added - waits_for.reach
        is_own = owner is self.owner and is_same_moment(self.column, other)
        # A window ends after the times in it, but not after itself.
        is_own = is_own or own.is_event or other.name in BOUNDS
        return _Wait(max(time, ZERO), after=is_own and strict and time >= ZERO, always=True)


def _added(sql: str, column: OutColumn, relation: Relation, closing: Closing) -> timedelta | None:
    """What a bound adds to a column; None if it is not such a sum."""
    node: exp.Expr | None = parsed(sql)
    if node is None:
        return None
    of_millis = _in_millis(node)
    found = _apart(node, length_of) if of_millis is None else _apart(of_millis, _milliseconds)
    if found is None:
        return None
    plain, added = found
    if of_millis is not None:
        plain = f"timestamp_millis({plain})"
    names = [quoted_name(column.name), qualified(relation.alias or "", column.name)]
    forms = {
        form
        for name in names
        for form in (name, f"timestamp_millis({name})", closing.moment.replace("{}", name))
    }
    return added if any(same(plain, _printed(form)) for form in forms) else None


def _apart(
    node: exp.Expr, length: Callable[[exp.Expression], timedelta | None]
) -> tuple[str, timedelta] | None:
    """What a sum adds to its first term, whose text is given as sqlglot prints it."""
    added = ZERO
    while isinstance(node, exp.Add | exp.Sub | exp.Paren):
        if not isinstance(node, exp.Paren):
            found = length(node.expression)
            if found is None:
                return None
            added += found if isinstance(node, exp.Add) else -found
        node = node.this
    return node.sql("spark").replace("`", ""), added


def _in_millis(node: exp.Expr) -> exp.Expr | None:
    """What a moment is the milliseconds of, whole ones as the clock has them."""
    if not isinstance(node, exp.Anonymous) or not same(node.name, "timestamp_millis"):
        return None
    inner: exp.Expr = node.expressions[0]
    while isinstance(inner, exp.Cast | exp.Ceil):
        inner = inner.this
    return inner


def _milliseconds(node: exp.Expression) -> timedelta | None:
    """The length that a constant number is."""
    number = number_of(node)
    is_whole = number is not None and isinstance(number.value, int)
    try:
        return timedelta(milliseconds=int(number.value)) if number and is_whole else None
    except OverflowError:  # longer than any interval of Python's
        return None


def _printed(sql: str) -> str:
    """SQL as sqlglot prints it."""
    node = parsed(sql)
    return sql if node is None else node.sql("spark").replace("`", "")


def _latest(predicate: Predicate, target: _Target, *, negated: bool = False) -> _Wait | Never:
    """The longest that a row waits for a predicate to be true, or for it to be false."""
    match predicate:
        case ClockAtom(op=op, bound=bound):
            return _of_atom(op, bound, target, negated=negated)
        case Ordinary():
            return _Wait(ZERO)
        case Constant(value=value):
            return _Wait(ZERO, always=True) if value is not negated and value is not None else NEVER
        case Not(term=term):
            return _latest(term, target, negated=not negated)
        case And(terms=terms) | Or(terms=terms):
            waits = [_latest(each, target, negated=negated) for each in terms]
            return _all(waits) if isinstance(predicate, And) is not negated else _any(waits)
        case IsTrue(term=term):
            return _latest(term, target, negated=negated)
        case IsNull(term=term):
            return _Wait(ZERO if isinstance(term, Ordinary) else None)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            if not isinstance(condition, Ordinary):
                return _Wait(None)
            return _any(
                [_not_always(_latest(each, target, negated=negated)) for each in (then, otherwise)]
            )


def _not_always(wait: _Wait | Never) -> _Wait | Never:
    """An alternative is not open to every row."""
    return replace(wait, always=False) if isinstance(wait, _Wait) else wait


_STRICT = {Op.GT: True, Op.GE: False}
_NEGATED_STRICT = {Op.LE: True, Op.LT: False}


def _of_atom(op: Op, bound: Expr, target: _Target, *, negated: bool) -> _Wait:
    strict = (_NEGATED_STRICT if negated else _STRICT).get(op)
    return _Wait(None) if strict is None else target.wait(bound, strict=strict)


def _all(waits: list[_Wait | Never]) -> _Wait | Never:
    known = [each for each in waits if isinstance(each, _Wait)]
    if len(known) < len(waits):
        return NEVER
    times = [(each.time, each.after) for each in known if each.time is not None]
    if len(times) < len(known):
        return _Wait(None)
    return _Wait(*max(times), always=all(each.always for each in known))


def _any(waits: list[_Wait | Never]) -> _Wait | Never:
    known = [each for each in waits if isinstance(each, _Wait)]
    if not known:
        return NEVER
    times = [(each.time, each.after) for each in known if each.time is not None]
    certain = [(each.time, each.after) for each in known if each.always and each.time is not None]
    if certain:
        return _Wait(*min(certain), always=True)
    return _Wait(*max(times)) if len(times) == len(known) else _Wait(None)
