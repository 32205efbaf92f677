"""Release plans as text: for each condition on the clock a table, for each output what it holds."""

from __future__ import annotations

from compiler.plan.ordering import AT
from compiler.release.nodes import (
    Branch,
    Carries,
    Item,
    Output,
    ReleaseJob,
    Select,
    Step,
    Union,
    guard_sql,
)

HEADER = ("branch", "guard", "release at", "retract at")


def explain_release(job: ReleaseJob) -> str:
    """All release tables, then what each output holds."""
    parts = []
    for step in job.steps:
        if isinstance(step, Select):
            for branches in step.releases:
                parts.append("\n".join([f"release plan of {step.name}", *_table(branches)]))
    steps = {step.name: step for step in job.steps}
    parts += ["\n".join(_state(output, steps)) for output in job.outputs]
    return "\n\n".join(parts) + "\n"


def _table(branches: tuple[Branch, ...]) -> list[str]:
    rows = [HEADER]
    rows += [
        (str(number), _guard(branch), _release(branch), _retract(branch))
        for number, branch in enumerate(branches, 1)
    ]
    if not branches:
        rows.append(("-", "no row is ever in the result", "", ""))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return [
        (
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _guard(branch: Branch) -> str:
    return " AND ".join(guard_sql(branch)) or "every row"


def _release(branch: Branch) -> str:
    lowers = [f"after {each.bound}" if each.strict else each.bound for each in branch.lowers]
    if not lowers:
        return "at once"
    return lowers[0] if len(lowers) == 1 else f"the last of: {'; '.join(lowers)}"


def _retract(branch: Branch) -> str:
    uppers = [each.bound if each.strict else f"after {each.bound}" for each in branch.uppers]
    if not uppers:
        return "never"
    return uppers[0] if len(uppers) == 1 else f"the first of: {'; '.join(uppers)}"


def _held(item: Item) -> str:
    """A column that is held; those with names of ours are for a SELECT list that is yet to come."""
    return item.sql if item.name is None or item.name.startswith("__c") else item.name


def _state(output: Output, steps: dict[str, Step]) -> list[str]:
    title = f"state of {output.name}"
    if output.carries is Carries.NOTHING:
        return [title, "  nothing is held"]
    if output.carries is Carries.UPDATES:
        return [title, "  nothing is held; changes are handed on as they come"]
    step = steps[output.step]
    what = "the selected columns"
    if isinstance(step, Select) and step.items:
        what = ", ".join(_held(each) for each in step.items if each.name != AT)
    elif isinstance(step, Union):
        what = "the columns of the union"
    until = "until it has left for good" if output.carries.changes else "until it is due"
    return [title, f"  each row from its arrival {until}: {what}"]
