"""`tvfc run`: compile a query and run it in this process, on local Spark.

Rows of the console output go to stdout, one JSON object a line, as they come; sinks that the query
declares are written as the job would write them.
"""

from __future__ import annotations

import tempfile
from argparse import ArgumentTypeError
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commands.compile import write_job
from commands.files import PARAMETERS, QUERY, STRICT, compile_file, output_folder
from commands.local_spark import local_session, require_java
from commands.spark_settings import Settings, with_spark_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from compiler import Job
    from tvfc_runtime.job.ending import Ending

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("query", type=QUERY)
@click.option("--available-now", is_flag=True, help="Stop when all input there is has been read.")
@click.option(
    "--checkpoint",
    metavar="DIR",
    help="Where to continue from and to remember  [default: start anew, remember nothing]",
)
@click.option(
    "--ui",
    metavar="[HOST:]PORT",
    callback=lambda _context, _option, text: text and _address(text),
    help="Serve a page that shows what it does; 0 takes any free port.",
)
@click.option("--ui-rows", is_flag=True, help="Show values of late and bad rows there, too.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    help="A line for each batch on stderr, in place of progress.",
)
@click.option("-o", "--output", metavar="DIR", type=FOLDER, help="Also write the job there.")
@with_spark_settings
@PARAMETERS
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME.OPTION=VALUE",
    help="An option of a source, table or sink.",
)
@click.option(
    "--flush-at-end", is_flag=True, help="With --available-now: then let all leave that is held."
)
@click.option(
    "--until", metavar="MOMENT", help="With --available-now: then move the clock to there."
)
@STRICT
def command(
    query: Path,
    available_now: bool,  # noqa: FBT001 - click passes it by name
    checkpoint: str | None,
    ui: tuple[str, int] | None,
    ui_rows: bool,  # noqa: FBT001
    log_format: str | None,
    output: Path | None,
    settings: Settings,
    parameters: tuple[str, ...],
    options: tuple[str, ...],
    flush_at_end: bool,  # noqa: FBT001
    until: str | None,
    strict: bool,  # noqa: FBT001
) -> None:
    """Compile QUERY and run it on local Spark; rows go to stdout, progress to stderr."""
    if (flush_at_end or until) and not available_now:
        raise click.UsageError("--flush-at-end and --until say how a run with --available-now ends")
    ending = _ending(until, flush_at_end=flush_at_end)
    folder = output_folder(query, output)
    job = compile_file(query, folder, strict=strict, parameters=parameters)
    if output is not None:
        write_job(folder, job.text, job.stages["lineage.json"])
    require_java()
    with _folder(checkpoint) as place:
        run_job(
            job,
            folder,
            place,
            available_now=available_now,
            settings=settings,
            options=options,
            ending=ending,
            ui=ui,
            ui_rows=ui_rows,
            log_format=log_format,
        )


def _address(text: str) -> tuple[str, int]:
    """Host and port.

    Raises:
        BadParameter: there is no port.
    """
    from tvfc_runtime.reports.metrics import address  # noqa: PLC0415 - PySpark comes with it

    try:
        return address(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no [HOST:]PORT") from None


def _ending(until: str | None, *, flush_at_end: bool) -> Ending | None:
    """Where the clock goes once all input is read."""
    if until is None and not flush_at_end:
        return None
    from tvfc_runtime import ending  # noqa: PLC0415 - PySpark takes long to import

    if until is None:
        return ending.FLUSH
    if flush_at_end:
        raise click.UsageError("--flush-at-end and --until exclude each other")
    try:
        return ending.until(until)
    except ArgumentTypeError as error:
        raise click.BadParameter(str(error), param_hint="--until") from None


def _folder(checkpoint: str | None) -> AbstractContextManager[str]:
    if checkpoint is not None:
        return nullcontext(checkpoint)
    return tempfile.TemporaryDirectory(prefix="tvfc-run-", ignore_cleanup_errors=True)


def run_job(
    job: Job,
    folder: Path,
    checkpoint: str,
    *,
    available_now: bool,
    settings: Mapping[str, str],
    options: Sequence[str] = (),
    ending: Ending | None = None,
    ui: tuple[str, int] | None = None,
    ui_rows: bool = False,
    log_format: str | None = None,
) -> None:
    """Run a compiled job until its input ends or a signal asks to stop.

    With `ui`, a host and port, a page shows what it does, and with `ui_rows` values of rows. With a
    `log_format` a line for each batch takes the place of progress.
    """
    spark = local_session(f"tvfc {job.name}", "local[*]", settings)
    # PySpark is imported only once Java is known to be there.
    from commands.streaming import LocalRun  # noqa: PLC0415
    from scenario.job_module import load_job  # noqa: PLC0415
    from tvfc_runtime.job.stopping import Stopping  # noqa: PLC0415

    stop = Stopping()
    stop.listen_in_jvm()
    run = LocalRun(spark, load_job(job.text, folder / "job.py").JOB, checkpoint, log_format)
    try:
        run.run(
            stop,
            available_now=available_now,
            options=options,
            ending=ending,
            ui=ui,
            ui_rows=ui_rows,
        )
    finally:
        run.close()
