"""Python names for the steps and outputs of a job, clashing with nothing in it."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata

from compiler.release.nodes import CONSOLE, Output, ReleaseJob

Names = dict[str, str]
"""Python names of steps."""

TAKEN = frozenset({"job", "main", "sys", "tvfc", "here", "path", "dataframe", "timedelta", "state"})
TAKEN |= {
    "due",
    "valid",
    "watermark",
    "members",
    "sql",
    "bounds",
    "matching",
    "sessions",
}  # variables of functions
TAKEN |= {"l", "o", "i"}  # a reader, and ruff, may take these for digits
_TYPE = re.compile(r"type_\d+")
"""Variables that hold types."""


def python_names(job: ReleaseJob) -> dict[str, str]:
    """A function's name for each step, and for each output that is more than its step."""
    names: dict[str, str] = {}
    used: dict[str, int] = {}
    for step in job.steps:
        names[step.name] = _fresh(step.name, used)
    for output in job.outputs:
        if output.is_emitted_late:
            wanted = "result" if output.name == CONSOLE else output.name
            names[output_key(output)] = _fresh(wanted, used)
    return names


def output_key(output: Output) -> str:
    """Under what the function of an output is found; no step has a name with a space."""
    return f"output {output.name}"


def _fresh(wanted: str, used: dict[str, int]) -> str:
    """A function's name; in capitals it is as free, for the constant of a source.

    Args:
        wanted: what to call it.
        used: names in capitals, each with the last number that has been put behind it.
    """
    text = _as_read(wanted.lower())
    name = "".join(letter if f"a{letter}".isidentifier() else "_" for letter in text).strip("_")
    if not name.isidentifier():
        name = f"rows_{name}".rstrip("_")
    if _is_taken(name):
        name = f"{name}_rows"
    base = name
    while _constant(name) in used:
        used[_constant(base)] += 1
        name = f"{base}_{used[_constant(base)]}"
    used[_constant(name)] = 1
    return name


def _is_taken(name: str) -> bool:
    is_caseless = name.upper() == name
    means_something = keyword.iskeyword(name) or hasattr(builtins, name)
    return means_something or name in TAKEN or bool(_TYPE.fullmatch(name)) or is_caseless


def _as_read(name: str) -> str:
    """Python reads identifiers in this form, and takes two that agree in it for one."""
    return unicodedata.normalize("NFKC", name)


def _constant(name: str) -> str:
    return _as_read(name.upper())
