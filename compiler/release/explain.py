"""Release plans as text: for each condition on the clock a table, for each output what is held."""

from __future__ import annotations

from compiler.escapes import visible
from compiler.plan.explain_names import as_written, names_of_ours
from compiler.plan.nodes import Plan, Program, TemporalFilter, held_by
from compiler.plan.ordering import AT
from compiler.plan.properties import own_state, properties_of
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


def explain_release(job: ReleaseJob, program: Program) -> str:
    """All release tables, then what is held for each output; `job` carries `program` out."""
    parts = []
    for step in job.steps:
        if isinstance(step, Select):
            for branches in step.releases:
                parts.append("\n".join([f"release plan of {step.name}", *_table(branches)]))
    steps = {step.name: step for step in job.steps}
    plans = {each.sink.name: each.plan for each in program.outputs}
    parts += [
        "\n".join(map(visible, _state(each, steps, plans[each.name]))) for each in job.outputs
    ]
    return as_written("\n\n".join(parts) + "\n", names_of_ours(*plans.values()))


def _table(branches: tuple[Branch, ...]) -> list[str]:
    rows = [HEADER]
    rows += [
        (str(number), visible(_guard(branch)), visible(_release(branch)), visible(_retract(branch)))
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


def _state(output: Output, steps: dict[str, Step], plan: Plan) -> list[str]:
    """What is held: by the operator above all steps, if there is one, and by those below it."""
    title, kept = f"state of {output.name}", properties_of(plan).state
    if output.carries in (Carries.NOTHING, Carries.UPDATES):
        return [title, *(f"  {line}" for line in kept or ("nothing is held",))]
    lifted = dict.fromkeys(
        line
        for node in held_by(plan)
        if isinstance(node, TemporalFilter)
        for line in own_state(node)
    )
    until = "until it is due"
    if output.carries.changes:
        only = next(iter(lifted), "").removeprefix("each row ")
        until = only if len(lifted) == 1 else "until it has left for good"
    first = f"each row from its arrival {until}: {_columns(steps[output.step])}"
    return [title, *(f"  {line}" for line in (first, *(e for e in kept if e not in lifted)))]


def _columns(step: Step) -> str:
    """The columns of the rows that are held."""
    if isinstance(step, Select) and step.items:
        return ", ".join(_held(each) for each in step.items if each.name != AT)
    return "the columns of the union" if isinstance(step, Union) else "the selected columns"
