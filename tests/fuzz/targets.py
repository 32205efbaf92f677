"""What is fuzzed, and what is right there: an answer, or an error of the input; soon, and whole."""

from __future__ import annotations

import ast
from pathlib import Path

from compiler import CompileError, compile_script
from compiler.diagnostics import CODES, render_all
from compiler.source import SourceText
from scenario.load import load_file
from scenario.model import ScenarioError

LIMIT_S = 2.0
"""Of processor time."""


def compiles(text: str, *, scenario: bool = False) -> None:
    """A script ends in a job that Python takes, or in errors that point at something."""
    source = SourceText("fuzz.sql", text)
    try:
        job = compile_script(source, scenario=scenario)
    except CompileError as error:
        assert error.diagnostics
        assert all(each.code in CODES for each in error.diagnostics)
        assert all(each.labels for each in error.diagnostics)
        shown = render_all(error.diagnostics, source)
    else:
        ast.parse(job.text)
        shown = job.explain + render_all(job.warnings, source)
    assert all(each.isprintable() or each == "\n" for each in shown)


def loads(text: str, folder: Path) -> None:
    """A scenario file is loaded, and its queries compile, or the file is refused."""
    file = folder / "fuzz.scenario.yaml"
    file.write_text(text, encoding="utf-8", errors="replace")
    try:
        found = load_file(file)
    except ScenarioError:
        return
    for each in found:
        compiles(each.query, scenario=True)
