"""Which windows the rows of a plan are in, where conditions on rows stand above them at most."""

from __future__ import annotations

from dataclasses import replace

from compiler.plan.facts.sessions import is_bound
from compiler.plan.nodes import Alias, Filter, Plan, Windows


def windows_below(plan: Plan) -> Windows | None:
    """HOP or CUMULATE of which a plan has the rows, some left out by what is known without them."""
    match plan:
        case Alias(input=inner):
            return windows_below(inner)
        case Filter(input=inner, predicate=predicate):
            return None if any(map(is_bound, predicate.reads)) else windows_below(inner)
        case Windows(kind="hop" | "cumulate", without_zone=False):
            return plan
        case _:
            return None


def without_windows(plan: Plan) -> Plan:
    """The same rows, each once.

    Before   Filter x > 3 of Alias r of Windows hop of readings
    After    Filter x > 3 of Alias r of readings
    """
    match plan:
        case Alias(input=inner) | Filter(input=inner):
            return replace(plan, input=without_windows(inner))
        case Windows(input=inner):
            return inner
        case _:
            return plan
