"""Python names for the steps and outputs of a job, clashing with nothing in it."""

from __future__ import annotations

import builtins
import keyword

from compiler.release.nodes import CONSOLE, ReleaseJob

TAKEN = frozenset({"job", "due", "main", "sys", "tvfc", "watermark", "here", "path", "dataframe"})


def python_names(job: ReleaseJob) -> dict[str, str]:
    """A function's name for each step, and for each output that is more than its step."""
    names: dict[str, str] = {}
    for step in job.steps:
        names[step.name] = _fresh(step.name, names)
    for output in job.outputs:
        if output.is_emitted_late:
            wanted = "result" if output.name == CONSOLE else output.name
            names[output.name] = _fresh(wanted, names)
    return names


def _fresh(wanted: str, names: dict[str, str]) -> str:
    name = "".join(letter if letter.isalnum() else "_" for letter in wanted.lower()) or "rows"
    if name[0].isdigit():
        name = f"rows_{name}"
    if keyword.iskeyword(name) or hasattr(builtins, name) or name in TAKEN:
        name = f"{name}_rows"
    number, base = 1, name
    while name in names.values():
        number += 1
        name = f"{base}_{number}"
    return name
