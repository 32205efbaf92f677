"""The whole compile: text to job, one stage after the other."""

from __future__ import annotations

from compiler.bind.script import bind
from compiler.bind.sources.schemas import NoSchemas, Schemas
from compiler.codegen.from_release import generate_job
from compiler.depth import with_room
from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.escapes import visible_lines
from compiler.explain.plan import explain_plan
from compiler.explain.release import explain_release
from compiler.job import Job, Stages, describe, job_name
from compiler.memo import remembering
from compiler.passes.warn_of_costs import check_costs
from compiler.release.from_plan import plan_release
from compiler.secrets import masked_job
from compiler.source import SourceText, Span
from compiler.syntax import parse_script
from compiler.syntax.nodes.tree_text import tree_text


def compile_script(
    source: SourceText,
    *,
    job_to_query: str = ".",
    scenario: bool = False,
    schemas: Schemas | None = None,
) -> Job:
    """Compile a script: text -> AST -> plan -> release plan -> job.

    Args:
        source: the text.
        job_to_query: path from the folder of the job to that of the query, for relative OPTIONS.
        scenario: rows come from a test; a source needs no USING.
        schemas: finds the schemas of records that the text only names; None: nothing is looked up.

    Raises:
        CompileError: the script is at fault; it holds every diagnostic that was found.
    """
    try:
        return _compiled(source, job_to_query, schemas or NoSchemas(), scenario=scenario)
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
def _compiled(source: SourceText, job_to_query: str, schemas: Schemas, *, scenario: bool) -> Job:
    script = parse_script(source)
    program, warnings = bind(script, source, schemas, scenario=scenario)
    warnings += check_costs(program)
    release = plan_release(program, source)
    text = generate_job(release, job_name(source), source, job_to_query)
    stages = {
        "ast": lambda: visible_lines("\n".join(map(tree_text, script.statements))),
        "plan": lambda: explain_plan(program),
        "release": lambda: explain_release(release, program),
        "job": lambda: masked_job(text),
    }
    return describe(source, program, text, Stages(stages), warnings)
