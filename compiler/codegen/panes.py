"""Steps whose groups are windows that overlap, out of panes."""

from __future__ import annotations

from compiler.codegen.changing import totals_call
from compiler.codegen.fragments import delayed
from compiler.codegen.quoting import literal
from compiler.codegen.shifts import timedelta_code
from compiler.codegen.writer import Call, Code, call, function, keyword
from compiler.release.nodes import PanedRows

_GRIDS = {"hop": "tvfc.hopping", "cumulate": "tvfc.growing"}


def panes_step(step: PanedRows, names: dict[str, str]) -> str:
    """The function of a step that puts windows together from panes."""
    lengths = [keyword(name, timedelta_code(length)) for name, length in step.sizes]
    arguments: list[Code] = [
        delayed(step.input, names),
        literal(step.time),
        call(_GRIDS[step.kind], *lengths),
        Call("", tuple(map(literal, step.keys)), "[]"),
        *map(totals_call, step.calls),
    ]
    if step.later:
        arguments.append(keyword("later", timedelta_code(step.later)))
    by = f" by {', '.join(step.keys)}" if step.keys else ""
    doc = f"Windows of {step.input.step}{by}, out of panes, each when it is final."
    return function(names[step.name], doc, [], call("job.panes", *arguments))
