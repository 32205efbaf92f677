"""The whole compile: text to job, one stage after the other.

text -> AST -> plan -> passes over the plan -> release plan -> passes over that -> job.py. What each
pass has changed is shown by `tvfc explain --stage passes`; what it leaves is checked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from compiler.bind.script import bind
from compiler.bind.sources.schemas import NoSchemas, Schemas
from compiler.codegen.from_release import generate_job, places_of_functions
from compiler.depth import with_room
from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.diagnostics.problems import Problems
from compiler.escapes import visible_lines
from compiler.explain.kept import kept_json, sources_json
from compiler.explain.passes import Passed, PlanPass, ReleasePass, explain_passes
from compiler.explain.plan import explain_plan
from compiler.explain.release import explain_release
from compiler.job import Job, Stages, describe, job_name
from compiler.lineage.shown import lineage_json, lineage_text
from compiler.memo import remembering
from compiler.passes.carry_time import carry_time
from compiler.passes.count_in_panes import count_in_panes
from compiler.passes.emit_clock import emit_clock
from compiler.passes.join_outputs import join_outputs
from compiler.passes.limit_numberings import limit_numberings
from compiler.passes.mark_beside_clock import mark_beside_clock
from compiler.passes.number_whole_partitions import number_whole_partitions
from compiler.passes.run_on_wall_clock import run_on_wall_clock
from compiler.passes.share_scans import share_scans
from compiler.passes.take_late_rows import take_late_rows
from compiler.passes.warn_of_costs import warn_of_costs
from compiler.plan.check import check_program
from compiler.plan.nodes import Program
from compiler.release.check import check_job
from compiler.release.from_plan import plan_release
from compiler.release.nodes import ReleaseJob
from compiler.release.passes.end_joins import end_joins
from compiler.release.passes.read_wholly import read_wholly
from compiler.release.passes.time_changes import time_changes
from compiler.secrets import masked_job
from compiler.source import SourceText, Span
from compiler.sql.identifiers import with_names
from compiler.syntax import parse_script
from compiler.syntax.nodes.tree_text import tree_text

PLAN_PASSES: tuple[PlanPass, ...] = (
    limit_numberings,
    number_whole_partitions,
    run_on_wall_clock,
    take_late_rows,
    share_scans,
    join_outputs,
    mark_beside_clock,
    count_in_panes,
    warn_of_costs,
)
"""From what a query says to the plan that `tvfc explain` shows."""

HOLDING_PASSES: tuple[PlanPass, ...] = (emit_clock, carry_time)
"""What rows have with them while they are held."""

RELEASE_PASSES: tuple[ReleasePass, ...] = (end_joins, read_wholly, time_changes)
"""What steps do, beside what they give."""


def compile_script(
    source: SourceText,
    *,
    job_to_query: str = ".",
    scenario: bool = False,
    schemas: Schemas | None = None,
    in_panes: bool = True,
) -> Job:
    """Compile a script: text -> AST -> plan -> release plan -> job.

    Args:
        source: the text.
        job_to_query: path from the folder of the job to that of the query, for relative OPTIONS.
        scenario: rows come from a test; a source needs no USING.
        schemas: finds the schemas of records that the text only names; None: nothing is looked up.
        in_panes: whether windows that overlap may be counted in panes. Jobs of versions that knew
            no panes, whose checkpoints are still there, were compiled without.

    Raises:
        CompileError: the script is at fault; it holds every diagnostic that was found.
    """
    try:
        found = schemas or NoSchemas()
        return _compiled(source, job_to_query, found, scenario=scenario, in_panes=in_panes)
    except RecursionError:
        raise CompileError([_too_deep()], source) from None


def _too_deep() -> Diagnostic:
    """Thousands of levels are understood; where the stack ends depends on what is nested."""
    return Diagnostic(
        "TVF501",
        "a query that is nested so deep is not supported",
        (Label(Span(0, 1), "some ten thousand levels deep"),),
        help="put parts of it into views",
    )


@with_room
@remembering()
def _compiled(
    source: SourceText, job_to_query: str, schemas: Schemas, *, scenario: bool, in_panes: bool
) -> Job:
    source = with_names(source)
    problems = Problems(source)
    seen = Passed()
    script = parse_script(source)
    program = bind(script, problems, schemas, scenario=scenario)
    passes = [each for each in PLAN_PASSES if in_panes or each is not count_in_panes]
    program = _planned(passes, program, problems, seen)
    problems.stop_if_any()
    held = _planned(HOLDING_PASSES, program, problems, seen)
    release = _released(RELEASE_PASSES, plan_release(held, source), seen)
    text = generate_job(release, job_name(source), source, job_to_query)
    stages = {
        "ast": lambda: visible_lines("\n".join(map(tree_text, script.statements))),
        "plan": lambda: explain_plan(program),
        "passes": lambda: explain_passes(seen),
        "release": lambda: explain_release(release, program),
        "job": lambda: masked_job(text),
        "lineage": lambda: lineage_text(program),
        "lineage.json": lambda: lineage_json(program),
        "kept": lambda: kept_json(release, program),
        "sources": lambda: sources_json(program),
        "places": lambda: json.dumps(places_of_functions(release), indent=1),
    }
    return describe(source, program, text, Stages(stages), tuple(problems.warnings))


def _planned(
    passes: Sequence[PlanPass], program: Program, problems: Problems, seen: Passed
) -> Program:
    """A program after some passes, each of which leaves one that can be."""
    for each in passes:
        before, program = program, each(program, problems)
        if not problems.errors:
            check_program(program, each.__name__)
            seen.plans.append((each, before, program))
    return program


def _released(passes: Sequence[ReleasePass], job: ReleaseJob, seen: Passed) -> ReleaseJob:
    """A release plan after some passes, likewise."""
    check_job(job, plan_release.__name__)
    for each in passes:
        before, job = job, each(job)
        check_job(job, each.__name__)
        seen.releases.append((each, before, job))
    return job
