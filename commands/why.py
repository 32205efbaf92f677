"""`tvfc why`: what rows that are held wait for, and what has become of a row.

Spark reads the state and, where a row is asked for, the files of sources once more; nothing is
written.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import click

from commands.local_spark import INSPECTION, local_session
from commands.state import held_by, queries_of
from compiler.escapes import visible
from tvfc_runtime.clock.of_batch import clock_ms, noted_of_batch
from tvfc_runtime.reports.verdicts import holding_back, moment, verdicts

if TYPE_CHECKING:
    from commands.inside.held import Waiting
    from commands.inside.rows_asked import SaidOfRow
    from tvfc_runtime.reports.query_status import QueryStatus

SHOWN_ROWS = 5


@dataclass(frozen=True)
class Answer:
    """What is said of a query.

    Attributes:
        place: its checkpoint.
        batch: the last batch that is done.
        clock_ms: its clock, milliseconds since the epoch; 0: it has no value.
        held_back: what holds the clock back, in words; empty if nothing does.
        held: what is held, without a condition.
        rows: what is said of rows, with one.
        why: what keeps rows from coming out, the most likely first, without one.
    """

    place: str
    batch: int
    clock_ms: int
    held_back: str
    held: tuple[Waiting, ...] = ()
    rows: tuple[SaidOfRow, ...] = ()
    why: list[str] = field(default_factory=list)


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--row", "condition", metavar="CONDITION", help="Rows to ask about: \"id = 'a'\".")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=SHOWN_ROWS,
    show_default=True,
    metavar="ROWS",
    help="Of each operator and source, at most so many rows.",
)
def command(folder: str, condition: str | None, form: str, limit: int) -> None:
    """Tell what has become of rows of the job with the checkpoint DIR, and what they wait for."""
    now_ms = time.time_ns() // 1_000_000
    answers = [_answer(each, condition, now_ms, limit) for each in queries_of(folder)]
    if form == "json":
        click.echo(json.dumps([asdict(each) for each in answers], indent=1))
        return
    click.echo("\n\n".join(map(_text, answers)))


def _answer(query: QueryStatus, condition: str | None, now_ms: int, limit: int) -> Answer:
    parts, batch = held_by(query)
    # PySpark is there by now.
    from commands.inside.held import ConditionError, waiting  # noqa: PLC0415
    from commands.inside.rows_asked import Question, said_of_rows  # noqa: PLC0415

    clock = clock_ms(int(noted_of_batch(query.place, batch)["batchWatermarkMs"]))
    answer = Answer(query.place, batch, clock, holding_back(query, now_ms))
    if condition is None:
        held = tuple(waiting(each, query.parts) for each in parts)
        return replace(answer, held=held, why=verdicts(query, now_ms))
    spark = local_session("tvfc why", "local[1]", INSPECTION)
    try:
        rows = said_of_rows(spark, query, parts, Question(condition, clock, limit))
    except ConditionError as error:
        raise click.ClickException(visible(str(error))) from None
    return replace(answer, rows=tuple(rows))


def _text(answer: Answer) -> str:
    from commands.inside.held import sentence  # noqa: PLC0415  PySpark is there by now

    clock = moment(answer.clock_ms, " UTC") if answer.clock_ms else "no value yet"
    lines = [
        f"{answer.place} after batch {answer.batch}",
        f"  clock  {clock}{answer.held_back}",
        *(f"  held   {sentence(each, answer.clock_ms)}" for each in answer.held),
        *(f"  why    {each}" for each in answer.why),
    ]
    for each in answer.rows:
        lines += [f"  {each.row}", *(f"    {said}" for said in each.said)]
    return "\n".join(map(visible, lines))
