"""Steps that fill windows without rows."""

from __future__ import annotations

from compiler.codegen.fragments import delayed
from compiler.codegen.quoting import literal
from compiler.codegen.shifts import timedelta_code
from compiler.codegen.writer import Call, Code, call, function, keyword
from compiler.release.nodes import FilledRows


def filled_step(step: FilledRows, names: dict[str, str]) -> str:
    """The function of a step that fills windows without rows."""
    arguments: list[Code] = [delayed(step.input, names)]
    if step.keys:
        arguments.append(keyword("keys", Call("", tuple(map(literal, step.keys)))))
    if step.starts is not None:
        arguments.append(keyword("starts", literal(step.starts)))
    if step.ends is not None:
        arguments.append(keyword("ends", literal(step.ends)))
    arguments += [
        keyword("values", Call("", tuple(map(literal, step.values)))),
        keyword("how", literal(step.how.value)),
        keyword("size", timedelta_code(step.size)),
    ]
    if step.slide is not None:
        arguments.append(keyword("slide", timedelta_code(step.slide)))
    if step.step is not None:
        arguments.append(keyword("step", timedelta_code(step.step)))
    if step.later:
        arguments.append(keyword("later", timedelta_code(step.later)))
    if step.silence is not None:
        arguments.append(keyword("silence", timedelta_code(step.silence)))
    doc = f"Groups of {step.input.step}, also of windows without rows, each when it is final."
    return function(names[step.name], doc, [], call("job.fill", *arguments))
