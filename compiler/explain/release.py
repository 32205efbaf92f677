"""Release plans as text: for each condition on the clock a table, for each output what is held."""

from __future__ import annotations

from compiler.escapes import visible
from compiler.explain.plan import kept_for
from compiler.passes.carry_time import AT
from compiler.plan.facts.properties import own_state
from compiler.plan.nodes import Output as Result
from compiler.plan.nodes import Program, TemporalFilter, held_by
from compiler.plan.written_names import as_written, names_of_ours
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
    names = names_of_ours(*(each.plan for each in program.outputs))
    revised = [each.revised.bound for each in program.outputs if each.revised is not None]
    final = {names.get(bound, bound) for bound in revised}
    for step in job.steps:
        if isinstance(step, Select):
            for branches in step.releases:
                table = _table(branches, final)
                parts.append("\n".join([f"release plan of {step.name}", *table]))
    steps = {step.name: step for step in job.steps}
    results = {each.sink.name: each for each in program.outputs}
    parts += [
        "\n".join(map(visible, _state(each, steps, results[each.name]))) for each in job.outputs
    ]
    return as_written("\n\n".join(parts) + "\n", names)


def _table(branches: tuple[Branch, ...], final: set[str]) -> list[str]:
    """The branches; at the bounds in `final` rows are not taken back, but change no more."""
    rows = [HEADER]
    rows += [
        (
            str(number),
            visible(_guard(branch)),
            visible(_release(branch)),
            visible(_retract(branch, final)),
        )
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


def _retract(branch: Branch, final: set[str]) -> str:
    if any(each.bound in final for each in branch.uppers):
        return f"never; final at {branch.uppers[0].bound}"
    uppers = [each.bound if each.strict else f"after {each.bound}" for each in branch.uppers]
    if not uppers:
        return "never"
    return uppers[0] if len(uppers) == 1 else f"the first of: {'; '.join(uppers)}"


def _held(item: Item) -> str:
    """A column that is held; those with names of ours are for a SELECT list that is yet to come."""
    return item.sql if item.name is None or item.name.startswith("__c") else item.name


def _state(output: Output, steps: dict[str, Step], result: Result) -> list[str]:
    """What is held: by the operator above all steps, if there is one, and by those below it."""
    title, kept = f"state of {output.name}", kept_for(result)
    if output.carries in (Carries.NOTHING, Carries.UPDATES):
        return [title, *(f"  {line}" for line in kept or ("nothing is held",))]
    lifted = dict.fromkeys(
        line
        for node in held_by(result.plan)
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
