"""All queries of a job in place of those of another one, and what is said of that."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commands.checkpoint import Damaged, NoCheckpointError, status_of
from commands.local_spark import INSPECTION, local_session, require_java
from compiler.escapes import visible
from tvfc_runtime.reports.verdicts import moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

    from commands.upgrading.assembly import Wanted
    from commands.upgrading.compare import Change
    from commands.upgrading.queries import Query
    from commands.upgrading.takeover import Takeover
    from tvfc_runtime.reports.query_status import QueryStatus


@dataclass(frozen=True)
class Asked:
    """What is to be upgraded to what.

    Attributes:
        folder: the checkpoint of the old job.
        query: the file of the new query.
        parameters: values for its parameters.
        options: options of its sources and sinks.
        settings: of Spark's.
    """

    folder: str
    query: Path
    parameters: tuple[str, ...]
    options: tuple[str, ...]
    settings: Mapping[str, str]


@dataclass(frozen=True)
class Whole:
    """All queries of a new job.

    Attributes:
        spark: the session in which trials run.
        takeovers: those that follow an old one, each with the query and what becomes of its parts.
        fresh: the names of those that follow none.
        gone: the checkpoints of old ones that none follows.
    """

    spark: SparkSession
    takeovers: list[tuple[Query, Takeover, list[Change]]]
    fresh: list[str]
    gone: list[str]

    @property
    def lost(self) -> bool:
        """Whether something is given up."""
        changes = (change for *_, changes in self.takeovers for change in changes)
        return bool(self.gone) or any(each.verdict == "lost" for each in changes)


@contextmanager
def examined(asked: Asked) -> Iterator[Whole]:
    """What becomes of a job; trials lie in a folder that goes at the end.

    Raises:
        ClickException: that cannot be told.
    """
    require_java()
    # PySpark is imported only once Java is known to be there.
    from commands.inside.state_store import StateError  # noqa: PLC0415
    from commands.upgrading.queries import UpgradeError, new_queries, old_query  # noqa: PLC0415
    from tvfc_runtime.checkpoint.whole import CheckpointError  # noqa: PLC0415
    from tvfc_runtime.sources.at_start import StartError  # noqa: PLC0415

    old, schemas = statuses(asked.folder), asked.query.resolve().parent
    try:
        new = new_queries(asked.query, asked.parameters, asked.options)
        pairs = _pairs(old, new)
        queries = [(old_query(status.place, schemas), query) for status, query in pairs]
        spark = local_session("tvfc upgrade", "local[2]", INSPECTION | dict(asked.settings))
        with tempfile.TemporaryDirectory(prefix="tvfc-upgrade-", ignore_cleanup_errors=True) as at:
            found = [
                _with_changes(spark, status, both, Path(at).resolve() / str(number))
                for number, ((status, _), both) in enumerate(zip(pairs, queries, strict=True))
            ]
            followed = [(status.place, query.name) for status, query in pairs]
            fresh = {each.name for each in new} - {name for _, name in followed}
            gone = {each.place for each in old} - {place for place, _ in followed}
            yield Whole(spark, found, sorted(fresh), sorted(gone))
    except (UpgradeError, StartError, StateError, CheckpointError) as error:
        raise click.ClickException(visible(str(error))) from None


def _with_changes(
    spark: SparkSession, status: QueryStatus, queries: tuple[Query, Query], folder: Path
) -> tuple[Query, Takeover, list[Change]]:
    from commands.upgrading.parts import changes_of  # noqa: PLC0415
    from commands.upgrading.takeover import takeover  # noqa: PLC0415

    found = takeover(spark, status, queries, folder)
    return queries[1], found, list(changes_of(found))


def _pairs(old: list[QueryStatus], new: list[Query]) -> list[tuple[QueryStatus, Query]]:
    """Each new query with the old one that has the most of its sinks; of a job with one, that."""
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    left, found = list(old), []
    for query in new:
        names = {each.name for each in query.outputs}
        shared = {each.place: len(names & set(each.sinks)) for each in left}
        best = max(left, key=lambda each: shared[each.place], default=None)
        if best is not None and shared[best.place]:
            found.append((best, query))
            left.remove(best)
    return found


def wanted_by(whole: Whole, target: str) -> list[Wanted]:
    """The checkpoints of the queries that follow another one, for a job whose own is `target`.

    Raises:
        UpgradeError: a trial has failed.
    """
    from commands.upgrading.stocks import checkpoint_for  # noqa: PLC0415
    from tvfc_runtime.job.program import checkpoint_of  # noqa: PLC0415

    return [
        checkpoint_for(whole.spark, found, checkpoint_of(query.spec, query.outputs, target))
        for query, found, _ in whole.takeovers
    ]


def statuses(folder: str) -> list[QueryStatus]:
    """The queries of a checkpoint.

    Raises:
        ClickException: it is none, or a damaged one.
    """
    try:
        found = status_of(folder)
    except NoCheckpointError as error:
        raise click.ClickException(visible(str(error))) from None
    damaged = [visible(f"{each.place}: {each.what}") for each in found if isinstance(each, Damaged)]
    if damaged:
        raise click.ClickException("\n".join(damaged))
    return [each for each in found if not isinstance(each, Damaged)]


def as_text(whole: Whole) -> str:
    """What becomes of each part, in lines."""
    texts = [_text(each, changes) for _, each, changes in whole.takeovers]
    texts += [f"{name}: new; it begins with the first rows of its sources" for name in whole.fresh]
    texts += [f"{place}: lost; no query follows it" for place in whole.gone]
    return "\n\n".join(map(visible_lines, texts))


def visible_lines(text: str) -> str:
    """Lines in which no value acts on a terminal."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _text(found: Takeover, changes: list[Change]) -> str:
    clock = moment(found.clock_ms, " UTC") if found.clock_ms else "no value yet"
    head = f"{found.status.place} after batch {found.batch}, clock {clock}"
    widths = [
        max((len(value) for value in column), default=0)
        for column in zip(*((c.what, c.name, c.verdict) for c in changes), strict=True)
    ]
    lines = []
    for each in changes:
        cells = zip((each.what, each.name, str(each.verdict)), widths, strict=True)
        held = "" if each.rows is None else f"{each.rows:,} rows, {each.bytes or 0:,} bytes"
        said = "; ".join(filter(None, [held, each.why]))
        lines.append(
            ("  " + "  ".join(text.ljust(width) for text, width in cells) + f"  {said}").rstrip()
        )
    return "\n".join([head, *lines])


def as_data(whole: Whole) -> list[dict[str, Any]]:
    """The same as plain data."""
    found: list[dict[str, Any]] = [
        {
            "query": query.name,
            "place": each.status.place,
            "batch": each.batch,
            "clock_ms": each.clock_ms or None,
            "parts": [asdict(change) for change in changes],
        }
        for query, each, changes in whole.takeovers
    ]
    found += [{"query": name, "verdict": "new", "parts": []} for name in whole.fresh]
    return found + [{"place": place, "verdict": "lost", "parts": []} for place in whole.gone]
