"""Conditions on the clock as filters: when rows are in a result, and by which clock."""

from __future__ import annotations

from compiler.plan.algebra import TooManyBranchesError, when_true
from compiler.plan.branches import guard_sql
from compiler.plan.nodes import (
    Counted,
    Filter,
    Join,
    Named,
    Plan,
    Project,
    TemporalFilter,
    UnionAll,
    walk,
)
from compiler.plan.predicates import Predicate, clock_atoms
from compiler.plan.problems import Problems
from compiler.source import Span

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


def is_timed(plan: Plan) -> bool:
    """Whether a condition on the clock stands anywhere in a plan."""
    return any(isinstance(each, TemporalFilter) for each in walk(plan))


def what_comes_and_goes(plan: Plan) -> Span | None:
    """The first condition or join in a FROM and WHERE by which rows may leave again."""
    match plan:
        case TemporalFilter(input=inner, branches=branches):
            ends = (upper.span for each in branches for upper in each.uppers)
            return next(ends, None) or what_comes_and_goes(inner)
        case Filter(input=inner):
            return what_comes_and_goes(inner)
        case Join(left=left):
            return what_comes_and_goes(left)
        case Counted(span=span):
            return span
        case UnionAll(inputs=inputs):
            return next(filter(None, map(what_comes_and_goes, inputs)), None)
        case Named(input=Project(input=inner)):
            return what_comes_and_goes(inner)
        case Project(input=Counted(span=span)):
            return span
        case _:
            return None
