"""`tvfc run`: compile a query and run it in this process, on local Spark.

Rows of the console output go to stdout, one JSON object a line, as they come; sinks that the query
declares are written as the job would write them.
"""

from __future__ import annotations

import signal
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commands.compile import write_job
from commands.files import QUERY, STRICT, compile_file, output_folder
from commands.local_spark import local_session, require_java

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from compiler import Job

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("query", type=QUERY)
@click.option("--available-now", is_flag=True, help="Stop when all input there is has been read.")
@click.option(
    "--checkpoint",
    metavar="DIR",
    type=FOLDER,
    help="Where to continue from and to remember  [default: start anew, remember nothing]",
)
@click.option(
    "--ui",
    metavar="[HOST:]PORT",
    callback=lambda _context, _option, text: text and _address(text),
    help="Serve a page that shows what it does; 0 takes any free port.",
)
@click.option("--ui-rows", is_flag=True, help="Show values of late and bad rows there, too.")
@click.option("-o", "--output", metavar="DIR", type=FOLDER, help="Also write the job there.")
@STRICT
def command(
    query: Path,
    available_now: bool,  # noqa: FBT001 - click passes it by name
    checkpoint: Path | None,
    ui: tuple[str, int] | None,
    ui_rows: bool,  # noqa: FBT001
    output: Path | None,
    strict: bool,  # noqa: FBT001
) -> None:
    """Compile QUERY and run it on local Spark; rows go to stdout, progress to stderr."""
    folder = output_folder(query, output)
    job = compile_file(query, folder, strict=strict)
    if output is not None:
        write_job(folder, job.text)
    require_java()
    with _folder(checkpoint) as place:
        run_job(job, folder, place, available_now=available_now, ui=ui, ui_rows=ui_rows)


def _address(text: str) -> tuple[str, int]:
    """Host and port.

    Raises:
        BadParameter: there is no port.
    """
    from tvfc_runtime.metrics import address  # noqa: PLC0415 - PySpark comes with it

    try:
        return address(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no [HOST:]PORT") from None


def _folder(checkpoint: Path | None) -> AbstractContextManager[str]:
    if checkpoint is not None:
        return nullcontext(str(checkpoint))
    return tempfile.TemporaryDirectory(prefix="tvfc-run-", ignore_cleanup_errors=True)


def run_job(
    job: Job,
    folder: Path,
    checkpoint: str,
    *,
    available_now: bool,
    ui: tuple[str, int] | None = None,
    ui_rows: bool = False,
) -> None:
    """Run a compiled job until its input ends or a signal asks to stop.

    Args:
        job: the job.
        folder: where it lies, or would.
        checkpoint: where to continue from.
        available_now: stop when all input there is has been read.
        ui: the host and port of a page that shows what it does; None: there is none.
        ui_rows: whether the page shows values of rows.
    """
    stop: list[int] = []
    spark = local_session(f"tvfc {job.name}", "local[*]", {})
    # After the session: PySpark sets a handler of its own when it makes one.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: stop.append(received))
    # PySpark is imported only once Java is known to be there.
    from commands.streaming import LocalRun  # noqa: PLC0415
    from scenario.job_module import load_job  # noqa: PLC0415

    run = LocalRun(spark, load_job(job.text, folder / "job.py").JOB, checkpoint)
    try:
        run.start(available_now=available_now, ui=ui, ui_rows=ui_rows)
        run.wait(stop)
    finally:
        run.close()
