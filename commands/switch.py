"""`tvfc switch`: the tables of two jobs take each other's names, so that readers go over at once.

What is done to a database is one transaction. What the checkpoints say of it follows, by a plan
that stands in DIR2 until it is carried out: cut short, the same command ends it, and meanwhile a
job is refused whose table is another's.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from commands.diff import EXAMPLES, OPTIONS, as_lines, sinks_in
from commands.state import queries_of
from commands.upgrade import check_at_rest
from compiler.escapes import visible
from tvfc_runtime.checkpoint.storage import exists, lock, read_text, remove, unlock, write_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commands.comparing.exchange import Pair
    from commands.comparing.sinks import Sink
    from tvfc_runtime.reports.query_status import QueryStatus

PLAN = "tvfc/switch.json"

Planned = dict[str, Any]
"""Of two sinks: their names, their tables, and what their checkpoints say of these in OPTIONS."""


@click.command()
@click.argument("folder", metavar="DIR")
@click.argument("folder2", metavar="DIR2")
@click.option("--accept-differences", is_flag=True, help="Go on although they are not the same.")
@OPTIONS[0]
@OPTIONS[1]
def command(
    folder: str,
    folder2: str,
    accept_differences: bool,  # noqa: FBT001 - click passes it by name
    options: tuple[str, ...],
    options2: tuple[str, ...],
) -> None:
    """Have the tables of the job with DIR2 take the names of those of DIR, and those theirs."""
    from commands.comparing.exchange import exchange, is_exchanged  # noqa: PLC0415 - PyArrow takes long
    from commands.comparing.sinks import CompareError  # noqa: PLC0415

    queries = [*queries_of(folder), *queries_of(folder2)]
    for each in queries:
        check_at_rest(each)
    sinks = sinks_in(folder, options), sinks_in(folder2, options2)
    mark = f"{folder2}/{PLAN}"
    with _locked(queries):
        try:
            plans = json.loads(read_text(mark)) if exists(mark) else []
            pairs = [_as_planned(sinks, each) for each in plans]
            if not pairs or not is_exchanged(pairs):
                pairs = _switchable(*sinks)
                _check_same(pairs, (folder, folder2), accept_differences=accept_differences)
                plans = [_plan(pair) for pair in pairs]
                write_text(mark, json.dumps(plans, indent=1))
                exchange(pairs)
        except CompareError as error:
            raise click.ClickException(visible(str(error))) from None
        for pair, plan in zip(pairs, plans, strict=True):
            _note(pair, plan)
        remove(mark)
    for line in _said(pairs, sinks):
        click.echo(visible(line))


@contextmanager
def _locked(queries: Sequence[QueryStatus]) -> Iterator[None]:
    """No job starts meanwhile."""
    locks = [f"{each.place}/tvfc/lock" for each in queries]
    try:
        if not all(map(lock, locks)):
            raise click.ClickException("TVF755: a job has started meanwhile; stop it first")
        yield
    finally:
        for each in locks:
            unlock(each)


def _switchable(first: dict[str, Sink], second: dict[str, Sink]) -> list[Pair]:
    """The sinks that are tables, each with that of the other job.

    Raises:
        CompareError: there are none, or they do not lie in one database.
    """
    from commands.comparing.answers import pairs_of  # noqa: PLC0415
    from commands.comparing.exchange import can_be_switched, database_of  # noqa: PLC0415
    from commands.comparing.sinks import CompareError  # noqa: PLC0415

    found = [pair for pair in pairs_of(first, second) if all(map(can_be_switched, pair))]
    if not found:
        raise CompareError(
            "TVF759: the jobs have no tables of SQLite, DuckDB or Postgres in sinks of one name; "
            "what else they write is read from the other place from now on"
        )
    databases = {database_of(each) for pair in found for each in pair}
    if len(databases) > 1:
        raise CompareError(
            "TVF759: the tables lie in several databases, and no transaction is in all of them; "
            "have the new job write to another table of the same one"
        )
    for one, other in found:
        if one.table.lower() == other.table.lower():
            raise CompareError(f"TVF759: both jobs write to the table {one.table}")
    return found


def _check_same(pairs: list[Pair], folders: tuple[str, str], *, accept_differences: bool) -> None:
    """See that pairs of sinks hold the same.

    Raises:
        ClickException: they do not, and that is not accepted.
    """
    from commands.comparing.answers import SAME, compared_pair  # noqa: PLC0415
    from commands.comparing.moments import AsOf  # noqa: PLC0415

    found = [compared_pair(*each, AsOf(), EXAMPLES) for each in pairs]
    for each in found:
        click.echo("\n".join(as_lines(each, *folders)))
    if any(each.verdict != SAME for each in found) and not accept_differences:
        raise click.ClickException(
            "TVF758: readers would find other rows than before; let both jobs read all there is, "
            "or run it with --accept-differences if that is right"
        )


def _plan(pair: Pair) -> Planned:
    return {
        "sinks": [each.name for each in pair],
        "tables": [each.table for each in pair],
        "options": [_part_of(each, _known(each.place))["options"].get("table") for each in pair],
    }


def _as_planned(sinks: tuple[dict[str, Sink], dict[str, Sink]], plan: Planned) -> Pair:
    """The sinks of a plan with the tables that they had, whatever has been noted since."""
    one, other = (
        replace(of[name], options={**of[name].options, "table": table})
        for of, name, table in zip(sinks, plan["sinks"], plan["tables"], strict=True)
    )
    return one, other


def _known(place: str) -> dict[str, Any]:
    return dict(json.loads(read_text(f"{place}/tvfc/query.json")))


def _part_of(sink: Sink, known: dict[str, Any]) -> dict[str, Any]:
    part: dict[str, Any] = next(e for e in known["state"] if e.get("sink") == sink.name)
    return part | {"options": dict(part.get("options", {}))}


def _note(pair: Pair, plan: Planned) -> None:
    """Have each checkpoint say that its query writes to the table of the other one."""
    for sink, table, option in zip(
        pair, reversed(plan["tables"]), reversed(plan["options"]), strict=True
    ):
        known = _known(sink.place)
        part = _part_of(sink, known)
        part["options"].pop("table", None)
        if option is not None:
            part["options"]["table"] = option
        known["state"] = [part if e.get("sink") == sink.name else e for e in known["state"]]
        write_text(f"{sink.place}/tvfc/query.json", json.dumps(known, indent=1))
        file = f"{sink.place}/tvfc/operators.json"
        if exists(file):
            described = json.loads(read_text(file))
            described.setdefault("sinks", {}).setdefault(sink.name, {})["table"] = table
            write_text(file, json.dumps(described, indent=1))


def _said(pairs: list[Pair], sinks: tuple[dict[str, Sink], dict[str, Sink]]) -> Iterator[str]:
    for one, other in pairs:
        yield (
            f"{other.name}: {one.table} has the rows of {other.place} now, {other.table} those of "
            f"{one.place}; start the job of {other.place} with the table {one.table}"
        )
    switched = {name for pair in pairs for name in (pair[0].name, pair[1].name)}
    for each in sinks[1].values():
        if each.name not in switched:
            yield f"{each.name}: is {each.format}, and stays where it is"
