"""Conditions on the clock as filters: when rows are in a result, and by which clock."""

from __future__ import annotations

from compiler.plan.algebra import TooManyBranchesError, when_true
from compiler.plan.branches import guard_sql
from compiler.plan.nodes import Filter, Join, Plan, TemporalFilter
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


def end_in(plan: Plan) -> Span | None:
    """The first condition on the clock in a FROM and WHERE that ends: then rows leave again."""
    match plan:
        case TemporalFilter(input=inner, branches=branches):
            ends = (upper.span for each in branches for upper in each.uppers)
            return next(ends, None) or end_in(inner)
        case Filter(input=inner):
            return end_in(inner)
        case Join(left=left):
            return end_in(left)
        case _:
            return None
