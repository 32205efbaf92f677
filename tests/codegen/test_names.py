"""Names in a job: Python takes them as they are meant, whatever sources and sinks are called."""

from __future__ import annotations

import ast
import builtins
import keyword
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.codegen.names import output_key, python_names
from compiler.release.nodes import Carries, Output, Read, ReleaseJob

NAMES = [
    *("job", "JOB", "due", "main", "sys", "tvfc", "watermark", "HERE", "Path", "DataFrame"),
    *("class", "def", "None", "match", "select", "F", "spark", "list", "print", "id", "type"),
    *("1a", "a-b", "a b", "a.b", "_", "__", "__doc__", "__file__", "__name__", "_a", "a_"),
    *("l", "O", "I", "订单", "größe", "GRÖSSE", "straße", "strasse", "ﬁ", "fi", "a²", "İ", "ﷺ"),
    *("rows", "rows_2", "result", "console", "a\nb", "a\u0301", "😀", "$", "'", '"', "\\"),
]


def job_with(sources: list[str], sinks: list[str]) -> ReleaseJob:
    """Step names are letters, digits and underscores of any script, as plans give them."""
    steps: list[Read] = []
    for place, name in enumerate(sources):
        step = "".join(letter if letter.isalnum() else "_" for letter in name.lower())
        taken = {each.name for each in steps}
        steps.append(
            Read(
                name=step if step and step not in taken else f"{step}_{place}_",
                source=name,
                fields=(),
                format=None,
                options=(),
                static=False,
            )
        )
    outputs = tuple(
        Output(
            name=name, step=steps[0].name, carries=Carries.DUE, emitted=(), format="x", options=()
        )
        for name in sinks
    )
    return ReleaseJob(steps=tuple(steps), outputs=outputs)


def assert_apart(job: ReleaseJob) -> None:
    """Every function, and the constant of every source, has a name of its own that Python takes."""
    names = python_names(job)
    functions = [names[step.name] for step in job.steps]
    functions += [names[output_key(output)] for output in job.outputs]
    constants = [names[step.name].upper() for step in job.steps]
    used = [unicodedata.normalize("NFKC", each) for each in functions + constants]
    assert len(set(used)) == len(used)
    fixed = {"JOB", "HERE", "Path", "DataFrame", "sys", "tvfc", "job", "due", "watermark"}
    for name in used:
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert not hasattr(builtins, name)
        assert name not in fixed
        assert not name.startswith("__")
        assert name not in {"l", "O", "I"}, "ruff refuses these"


@pytest.mark.parametrize("name", NAMES)
def test_a_source_and_a_sink_of_any_name(name: str) -> None:
    assert_apart(job_with([name], [name]))


def test_all_of_them_in_one_job() -> None:
    assert_apart(job_with(NAMES, NAMES))


@settings(max_examples=60, deadline=None)
@given(
    sources=st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4),
    sinks=st.lists(st.text(min_size=1, max_size=4), max_size=3, unique=True),
)
def test_names_at_random(sources: list[str], sinks: list[str]) -> None:
    assert_apart(job_with(sources, sinks))


def test_plain_names_stay_as_they_are() -> None:
    names = python_names(job_with(["Orders", "late_orders2", "größe"], ["out"]))
    assert list(names.values()) == ["orders", "late_orders2", "größe", "out"]


def test_jobs_of_the_goldens_pass_ruff_as_it_comes() -> None:
    golden = Path(__file__).parents[2] / "golden"
    jobs = [str(path) for path in golden.glob("*/*/job.py")]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "-q", *jobs]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.stdout, found.returncode) == ("", 0)


def test_the_names_of_a_job_are_defined_before_they_are_used() -> None:
    """A function named as another, or as its own constant, would show here."""
    golden = Path(__file__).parents[2] / "golden"
    for path in golden.glob("*/*/job.py"):
        defined: set[str] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            new = []
            if isinstance(node, ast.FunctionDef):
                new = [node.name]
            elif isinstance(node, ast.Assign):
                new = [each.id for each in node.targets if isinstance(each, ast.Name)]
            assert not defined & set(new), path
            defined |= set(new)


def test_no_step_is_called_as_a_variable_of_a_function() -> None:
    """Inside the function the variable would hide it."""
    golden = Path(__file__).parents[2] / "golden"
    variables = {
        name.id
        for path in golden.glob("*/*/job.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for name in ast.walk(function)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    assert {"due", "valid", "sql", "members", "bounds", "type_1"} <= variables
    names = python_names(job_with(sorted(variables), sorted(variables)))
    assert not variables & set(names.values())


def test_thousands_of_equal_names() -> None:
    names = python_names(job_with(["!" * n for n in range(1, 3_000)], []))
    assert len(set(names.values())) == 2_999
