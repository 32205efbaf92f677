"""Conditions on the clock as filters: when rows are in a result, and by which clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiler.bind.names.scope import Scope
from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.absorption import needed_by
from compiler.plan.conditions.algebra import TooManyBranchesError, when_true
from compiler.plan.conditions.branches import guard_sql
from compiler.plan.conditions.predicates import ClockAtom, Predicate, clock_atoms, reads_of
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Alias,
    Counted,
    Filter,
    Join,
    Named,
    Paired,
    Plan,
    Project,
    TemporalFilter,
    UnionAll,
    children,
    walk,
)
from compiler.source import Span
from compiler.sql.exprs import Binding, Expr
from compiler.sql.names import same

MAX_BRANCHES = 64


def temporal_filter(
    plan: Plan, predicate: Predicate, span: Span, problems: Problems
) -> TemporalFilter:
    """Rows at the clock values at which a condition is true; too many pieces are reported."""
    try:
        branches = when_true(predicate, MAX_BRANCHES)
    except TooManyBranchesError as error:
        branches = error.branches
        shown = [" AND ".join(guard_sql(each)) or "every row" for each in branches[:3]]
        clocks = sorted({atom.clock.value for atom in clock_atoms(predicate)})
        problems.add(
            "TVF401",
            f"the condition expands to more than {MAX_BRANCHES} branches",
            span,
            "too many alternatives",
            notes=[f"some of them: {each}" for each in shown],
            advice="compute the moment first, `CASE … END AS due` in a subquery, and compare that "
            f"with {clocks[0]}",
        )
    return TemporalFilter(input=plan, predicate=predicate, branches=branches, span=span)


def admitted_by(predicate: Predicate) -> Expr | None:
    """What holds for all rows that a condition on the clock ever admits; None: nothing special."""
    try:
        branches = when_true(predicate, MAX_BRANCHES)
    except TooManyBranchesError:
        return None
    needed = needed_by(branches)
    if needed is None:
        return None
    return Expr(sql=needed, binding=Binding.OR, reads=tuple(sorted(reads_of(predicate))))


def waiting_for(plan: Plan, atom: ClockAtom, span: Span) -> TemporalFilter:
    """Rows from a moment on, before which others may come; no condition of the query."""
    branches = when_true(atom, MAX_BRANCHES)
    return TemporalFilter(input=plan, predicate=atom, branches=branches, closes=True, span=span)


def by_owner(terms: Sequence[Predicate], scope: Scope) -> dict[str | None, list[Predicate]]:
    """Conditions by the one stream of several whose columns they name; None: all others."""
    found: dict[str | None, list[Predicate]] = {}
    several = sum(bool(each.streams) for each in scope.relations) > 1
    for term in terms:
        owner = scope.owner(reads_of(term)) if several else None
        found.setdefault(owner.alias if owner and owner.streams else None, []).append(term)
    return found


def pushed(
    plan: Plan, alias: str, predicate: Predicate, span: Span, problems: Problems
) -> Plan | None:
    """A condition on one side of a join below it, if it ends: then pairs end with that side.

    Before   TemporalFilter(Join(Alias a, Alias b))
    After    Join(Alias a(TemporalFilter(Alias a)), Alias b)
    """

    def down(node: Plan) -> Plan | None:
        match node:
            case Filter(input=inner):
                below = down(inner)
                return None if below is None else replace(node, input=below)
            case Join(left=left, right=right, kind="inner" | "cross"):
                below = down(left)
                if below is not None:
                    return replace(node, left=below)
                below = down(right)
                return None if below is None else replace(node, right=below)
            case Alias(name=name) if same(name, alias):
                filtered = temporal_filter(node, predicate, span, problems)
                ends = any(branch.uppers for branch in filtered.branches)
                return Alias(name=name, input=filtered) if ends else None
            case _:
                return None

    return down(plan)


def is_timed(plan: Plan) -> bool:
    """Whether a condition on the clock stands anywhere in a plan."""
    return any(isinstance(each, TemporalFilter) for each in walk(plan))


def waits(plan: Plan) -> bool:
    """Whether rows of a FROM and WHERE are there from a moment on that the query names."""
    match plan:
        case TemporalFilter(closes=False):
            return True
        case TemporalFilter() | Filter() | Alias() | Named() | Project():
            return waits(plan.input)
        case Join() | UnionAll():
            return any(map(waits, children(plan)))
        case _:
            return False


def what_comes_and_goes(plan: Plan) -> Span | None:
    """The first condition or join in a FROM and WHERE by which rows may leave again."""
    match plan:
        case TemporalFilter(input=inner, branches=branches):
            ends = (upper.span for each in branches for upper in each.uppers)
            return next(ends, None) or what_comes_and_goes(inner)
        case Filter(input=inner):
            return what_comes_and_goes(inner)
        case Join(left=left, right=right):
            return what_comes_and_goes(left) or what_comes_and_goes(right)
        case Alias(input=TemporalFilter() as inner):
            return what_comes_and_goes(inner)
        case Counted(span=span) | Paired(span=span):
            return None if properties_of(plan).append_only else span
        case UnionAll(inputs=inputs):
            return next(filter(None, map(what_comes_and_goes, inputs)), None)
        case Named(input=Project(input=inner)):
            return what_comes_and_goes(inner)
        case Project(input=Counted() | Paired() as inner):
            return what_comes_and_goes(inner)
        case _:
            return None
