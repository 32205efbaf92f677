"""The whole compile: text to job, one stage after the other."""

from __future__ import annotations

from compiler.codegen.from_release import generate_job
from compiler.escapes import visible_lines
from compiler.job import Job, describe, job_name
from compiler.plan.costs import check_costs
from compiler.plan.explain import explain_plan
from compiler.plan.from_ast import bind
from compiler.release.explain import explain_release
from compiler.release.from_plan import plan_release
from compiler.source import SourceText
from compiler.syntax import parse_script


def compile_script(source: SourceText, *, job_to_query: str = ".", scenario: bool = False) -> Job:
    """Compile a script: text -> AST -> plan -> release plan -> job.

    Args:
        source: the text.
        job_to_query: path from the folder of the job to that of the query, for relative OPTIONS.
        scenario: rows come from a test; a source needs no USING.

    Raises:
        CompileError: the script is at fault; it holds every diagnostic that was found.
    """
    script = parse_script(source)
    program, warnings = bind(script, source, scenario=scenario)
    warnings += check_costs(program)
    release = plan_release(program, source)
    text = generate_job(release, job_name(source), source, job_to_query)
    stages = {
        "ast": visible_lines("\n".join(map(repr, script.statements))),
        "plan": explain_plan(program),
        "release": explain_release(release, program),
        "job": text,
    }
    return describe(source, program, text, stages, warnings)
