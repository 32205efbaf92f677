"""What steps without a name of their own are called: after what they are for."""

from __future__ import annotations

import re

from compiler.plan import nodes as plan
from compiler.release.nodes import CONSOLE


def for_output(sink: str, *, is_last: bool) -> str:
    """The step of an output; `is_last` if nothing is left to do when its rows are emitted."""
    if sink == CONSOLE:
        return "result" if is_last else "rows"
    return sink if is_last else f"{sink}_rows"


def stem(name: str) -> str:
    """A name without what it was given here, so that endings do not pile up."""
    return re.sub(
        r"(?<=.)_(rows|candidates|all|pairs|joined|counted|united|(un)?matched)$", "", name
    )


def for_input(node: plan.Plan, name: str) -> str:
    """What the SELECT of a name reads, if that is neither view nor source."""
    match node:
        case plan.Totals() | plan.Top() | plan.OverChanges():
            return name
        case plan.UnionAll() if plan.comes_and_goes(node):
            return f"{stem(name)}_united"
        case plan.Counted(rule=plan.Rule.MATCHED | plan.Rule.UNMATCHED as rule):
            return f"{stem(name)}_{rule.name.lower()}"
        case plan.Paired():
            return f"{stem(name)}_joined"
        case plan.Counted():
            return f"{stem(name)}_counted"
        case _:
            return "rows"


def for_leg(rule: plan.Rule, number: int, name: str) -> str:
    """An input of the step of a name that counts rows, if it is neither view nor source."""
    match rule:
        case plan.Rule.DISTINCT:
            return f"{stem(name)}_all"
        case plan.Rule.MATCHED | plan.Rule.UNMATCHED if number > 1:
            return f"{stem(name)}_pairs"
        case _:
            return f"{stem(name)}_{number}"
