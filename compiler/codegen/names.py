"""Python names for the steps and outputs of a job, clashing with nothing in it."""

from __future__ import annotations

import builtins
import keyword
import unicodedata

from compiler.release.nodes import CONSOLE, Output, ReleaseJob

TAKEN = frozenset({"job", "due", "main", "sys", "tvfc", "watermark", "here", "path", "dataframe"})
TAKEN |= {"members", "timedelta"}
TAKEN |= {"l", "o", "i"}  # a reader, and ruff, may take these for digits


def python_names(job: ReleaseJob) -> dict[str, str]:
    """A function's name for each step, and for each output that is more than its step."""
    names: dict[str, str] = {}
    for step in job.steps:
        names[step.name] = _fresh(step.name, names)
    for output in job.outputs:
        if output.is_emitted_late:
            wanted = "result" if output.name == CONSOLE else output.name
            names[output_key(output)] = _fresh(wanted, names)
    return names


def output_key(output: Output) -> str:
    """Under what the function of an output is found; no step has a name with a space."""
    return f"output {output.name}"


def _fresh(wanted: str, names: dict[str, str]) -> str:
    """A function's name; in capitals it is as free, for the constant of a source."""
    # Python reads identifiers in this form, and takes two that agree in it for one.
    text = unicodedata.normalize("NFKC", wanted.lower())
    name = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in text).strip("_")
    if not name.isidentifier():
        name = f"rows_{name}".rstrip("_")
    is_caseless = name.upper() == name
    if keyword.iskeyword(name) or hasattr(builtins, name) or name in TAKEN or is_caseless:
        name = f"{name}_rows"
    number, base = 1, name
    used = {each.upper() for each in names.values()}
    while name.upper() in used:
        number += 1
        name = f"{base}_{number}"
    return name
