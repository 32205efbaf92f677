"""`tvfc explain`: the plan of a query, one stage of its compilation, or the meaning of a code."""

from __future__ import annotations

import re
from pathlib import Path

import click

from commands.files import PARAMETERS, STRICT, compile_file, output_folder
from compiler.diagnostics import CODES
from compiler.escapes import visible

STAGES = ("ast", "plan", "passes", "release", "job", "lineage")


@click.command()
@click.argument("subject", metavar="QUERY|CODE")
@click.option("--stage", type=click.Choice(STAGES), help="Show one stage of the compilation.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Of --stage lineage.",
)
@click.option(
    "--sample",
    metavar="FILE|N",
    help="Estimate how large state will be by a file of rows, SOURCE=FILE,… of several sources, "
    "or the first N rows of their own files.",
)
@PARAMETERS
@STRICT
def command(
    subject: str,
    stage: str | None,
    form: str,
    sample: str | None,
    parameters: tuple[str, ...],
    strict: bool,  # noqa: FBT001
) -> None:
    """Show the plan, release plan, state and watermarks of QUERY, or what CODE means."""
    if re.fullmatch(r"TVFW?\d+", subject, re.IGNORECASE) and not Path(subject).exists():
        click.echo(meaning(subject.upper()))
        return
    if form == "json" and stage != "lineage":
        raise click.UsageError("--format json is for --stage lineage")
    path = Path(subject)
    if not path.is_file():
        raise click.UsageError(
            f"{visible(subject)} is neither a query file nor a code such as TVF301"
        )
    job = compile_file(path, output_folder(path, None), strict=strict, parameters=parameters)
    if form == "json":
        stage = f"{stage}.json"
    text = job.explain if stage is None else job.stages[stage]
    click.echo(text.rstrip("\n"))
    if sample is not None:
        from commands.sampled import sampled  # noqa: PLC0415 - PyArrow takes long

        click.echo(sampled(job, path, sample))


def meaning(code: str) -> str:
    """What a code means: an explanation, a failing query and the same one mended."""
    entry = CODES.get(code)
    if entry is None:
        raise click.UsageError(f"there is no code {visible(code)}; they begin with {min(CODES)}")
    parts = [f"{entry.code}: {entry.title}", entry.explanation.strip()]
    for heading, query in (("Failing", entry.failing), ("Mended", entry.mended)):
        if query:
            lines = (f"  {line}".rstrip() for line in query.strip().splitlines())
            parts.append("\n".join([f"{heading}:", *lines]))
    return "\n\n".join(parts)
