"""`tvfc compile`: a query file to a folder that spark-submit can run."""

from __future__ import annotations

from pathlib import Path

import click

from commands.files import PARAMETERS, QUERY, STRICT, compile_file, output_folder
from commands.runtime_zip import runtime_zip
from compiler.escapes import visible


@click.command()
@click.argument("query", type=QUERY)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for job.py, tvfc_runtime.zip and lineage.json  [default: build/<query>]",
)
@PARAMETERS
@STRICT
def command(
    query: Path,
    output: Path | None,
    parameters: tuple[str, ...],
    strict: bool,  # noqa: FBT001
) -> None:
    """Compile QUERY to a job that spark-submit runs."""
    folder = output_folder(query, output)
    job = compile_file(query, folder, strict=strict, parameters=parameters)
    write_job(folder, job.text, job.stages["lineage.json"])
    click.echo(visible(str(folder / "job.py")))


def write_job(folder: Path, text: str, lineage: str | None = None) -> None:
    """Write the files of a job; it is run without its lineage, too."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "job.py").write_text(text, encoding="utf-8")
        (folder / "tvfc_runtime.zip").write_bytes(runtime_zip())
        if lineage is not None:
            (folder / "lineage.json").write_text(lineage, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(visible(f"cannot write to {folder}: {error.strerror}")) from None
