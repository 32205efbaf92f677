"""What jobs call is there in the runtime, with a signature that takes the call."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from pathlib import Path

import pytest

import tvfc_runtime as tvfc
from compiler.bind.groups.aggregates import KNOWN, OF_NUMBERS
from compiler.codegen.from_release import PROTOCOL
from tvfc_runtime.changing.calls import FUNCTIONS
from tvfc_runtime.changing.calls import OF_NUMBERS as OF_NUMBERS_AT_RUN_TIME

JOBS = sorted((Path(__file__).parent.parent / "golden").glob("*/*/job.py"))

EVERY_CALL = {
    *("JobSpec", "Output", "RecordFormat", "Source", "Watermark", "main"),
    *("at_once", "due", "earliest", "latest", "never", "passed", "reached", "sql", "when"),
    *("with_due", "job.delay", "job.query", "job.stream", "job.table", "job.watermark_ts"),
    *("closing", "cumulate", "hop", "in_sessions", "session", "session_bounds", "tumble"),
    *("type_of", "if_any"),
    *("job.bad_rows", "job.clock", "job.late_rows", "job.on_time", "job.watermarked", "job.sql"),
    *("Frame", "job.over", "job.fill", "job.sessions"),
    *("hopping", "growing", "job.panes"),
    *("always", "any_of", "between", "both", "first_of", "since", "until", "until_in"),
    *("valid", "with_validity", "job.appended", "job.changelog", "job.on_wall_clock"),
    *("job.beside_clock", "job.from_start", "job.updates", "in_order"),
    *("job.changes", "job.latest", "job.mz_now", "gone", "join_in_time", "wholly_read"),
    *("Call", "Sort", "job.aggregate", "job.multiplicity", "job.join", "job.top"),
    *("Matching", "Sequence", "Choice", "Repeat", "Excluded", "Pick", "Fold", "Apply"),
    *("MatchNumber", "Classifier", "job.match"),
    *("WindowFunction", "job.windows", "netted"),
}
"""All that code generation writes; the goldens hold each of it at least once."""


def calls(job: Path) -> list[tuple[str, ast.Call]]:
    """Calls of the runtime, as `name` for `tvfc.name(...)` and `job.name` for `job.name(...)`."""
    found = []
    for node in ast.walk(ast.parse(job.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="tvfc"), attr=name)):
                found.append((name, node))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="job"), attr=name)):
                found.append((f"job.{name}", node))
            case ast.Call(
                func=ast.Attribute(value=rows, attr="transform"),
                args=[ast.Attribute(value=ast.Name(id="tvfc"), attr=name), *others],
            ):
                found.append((name, ast.Call(node.func, [rows, *others], node.keywords)))
            case _:
                pass
    return found


@pytest.mark.parametrize("job", JOBS, ids=lambda job: f"{job.parent.parent.name}/{job.parent.name}")
def test_the_runtime_takes_every_call(job: Path) -> None:
    for name, call in calls(job):
        owner, _, method = name.rpartition(".")
        target = getattr(tvfc.Job if owner else tvfc, method)
        arguments: list[object] = [None] * (len(call.args) + bool(owner))
        keywords = {each.arg: None for each in call.keywords if each.arg is not None}
        assert not any(isinstance(each, ast.Starred) for each in call.args)
        inspect.signature(target).bind(*arguments, **keywords)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: f"{job.parent.parent.name}/{job.parent.name}")
def test_a_job_uses_nothing_but_the_interface(job: Path) -> None:
    names = {
        node.attr
        for node in ast.walk(ast.parse(job.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "tvfc"
    }
    assert names <= set(tvfc.__all__)


def test_the_goldens_hold_every_call() -> None:
    assert {name for job in JOBS for name, _ in calls(job)} == EVERY_CALL


def test_aggregates_are_the_same_on_both_sides() -> None:
    """A call that the runtime does not know would end a job as it starts."""
    assert {each for each in KNOWN if each.upper() not in FUNCTIONS} == set()
    assert {FUNCTIONS[each.upper()] for each in OF_NUMBERS} == OF_NUMBERS_AT_RUN_TIME


def test_the_protocol_is_the_same_on_both_sides() -> None:
    assert tvfc.PROTOCOL == PROTOCOL


def test_a_job_spec_needs_what_jobs_give() -> None:
    """Fields without a default are given by every golden: none can be forgotten."""
    needed = {
        field.name
        for field in dataclasses.fields(tvfc.JobSpec)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    for job in JOBS:
        (spec,) = (call for name, call in calls(job) if name == "JobSpec")
        assert needed <= {each.arg for each in spec.keywords}
