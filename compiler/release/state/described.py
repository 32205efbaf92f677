"""What a streaming query keeps in its checkpoint, as data: whose state may be continued by whom.

Two queries with the same description find in each other's checkpoints what they would have written
themselves. So it says, in the terms of the query and not of our classes, everything that decides
what is kept: which rows come into state, their columns and types, by which keys they are found
again, when they are due and until when they stay, and in which order Spark numbers sources and
operators. What is done to rows after they have left the last state is not in it, nor how SQL is
spelled, nor what aliases and views are called.

What is in doubt is in it: a query that is refused can be given another checkpoint, while state of
two queries, mixed, would be wrong in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeGuard, assert_never

from compiler.release.nodes import (
    Bad,
    Carries,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
    Input,
    JoinWith,
    Late,
    MatchRows,
    Output,
    OverChanged,
    OverRows,
    PairedRows,
    PanedRows,
    Read,
    ReleaseJob,
    Select,
    Sessions,
    Static,
    Step,
    TableRows,
    TopRows,
    Totaled,
    TotaledSessions,
    Union,
    UntilPartnered,
    Watermarked,
    Windowed,
)
from compiler.release.reading import inputs_of
from compiler.release.state.changing import changing
from compiler.release.state.facts import (
    Fact,
    Facts,
    Names,
    branches,
    columns,
    given,
    length,
    lower,
    named,
    options,
    record_format,
    relations,
    spelled,
    untils,
    watermark,
    yes,
)
from compiler.release.state.final import (
    filled,
    grouped,
    matched,
    over,
    paned,
    sessions,
    spelled_or_none,
    totaled_sessions,
    windowed,
)
from compiler.release.state.kept import keeps_rows
from compiler.sql.spelling import one_spelling

VERSION = 1
"""Of the form of descriptions; those of different versions cannot be compared."""

FREE_OF_SOURCES = frozenset(
    {"badrows", "maxbadrows", "cleansource", "sourcearchivedir", "maxtriggerdelay"}
    | {"maxfilespertrigger", "maxbytespertrigger", "maxoffsetspertrigger", "minoffsetspertrigger"}
    | {"backfill.maxfilespertrigger", "backfill.maxbytespertrigger"}
)
"""Options that say how much is read at a time, or what becomes of what was read or does not fit."""

FREE_OF_SINKS = {
    "console": frozenset({"truncate", "numrows"}),
    "kafka": frozenset({"delivery"}),
} | dict.fromkeys(
    ("parquet", "orc", "json", "csv", "text", "xml", "avro"), frozenset({"compression"})
)
"""Options that say how rows look where they are written, or how they get there, by format."""

WAYS = {
    "postgres": frozenset(
        {"url", "host", "port", "database", "user", "password", "sslmode", "sslrootcert"}
    )
}
"""Options that say how to come to a table, by format: they move with it, and are nobody's to see.
Whose rows a table holds stands in the table itself."""

SETTINGS = {"delta": "storage.", "iceberg": "catalog."}
"""The same as beginnings of names."""


def states_of(job: ReleaseJob) -> dict[str, list[Facts]]:
    """The state of each streaming query of a job, by the name of the output that leads it.

    The first of its parts is the version of their form; operators, in the order in which they are
    read from the sinks down, and sinks follow.
    """
    return {name: _state_of(outputs, job) for name, outputs in _queries(job)}


def places_of(job: ReleaseJob) -> dict[str, dict[str, int]]:
    """Where the steps of each streaming query stand in its description, by name of the step."""
    return {name: dict(_described(outputs, job)[0].places) for name, outputs in _queries(job)}


def _queries(job: ReleaseJob) -> Iterable[tuple[str, list[Output]]]:
    """The outputs of each streaming query, by the name of the one that leads it."""
    queries: dict[str, list[Output]] = {}
    for output in job.outputs:
        queries.setdefault(output.beside or output.name, []).append(output)
    return queries.items()


def _state_of(outputs: list[Output], job: ReleaseJob) -> list[Facts]:
    described, sinks = _described(outputs, job)
    functions: list[Facts] = [{"function": each} for each in job.functions]
    return [{"version": VERSION}, *described.operators, *sinks, *functions]


def _described(outputs: list[Output], job: ReleaseJob) -> tuple[_Operators, list[Facts]]:
    described = _Operators({step.name: step for step in job.steps}, keeps=keeps_rows(outputs, job))
    return described, [described.sink(each) for each in outputs]


class _Operators:
    """Operators of a query, in the order in which they are read from its outputs down.

    Each is described once; others name it by its place in the list, from 1.
    """

    def __init__(self, steps: Mapping[str, Step], *, keeps: bool) -> None:
        self.operators: list[Facts] = []
        self._steps = steps
        self._keeps = keeps
        self.places: dict[str, int] = {}

    def sink(self, output: Output) -> Facts:
        """An output, and the place of the rows that it is made of.

        What an output does to rows that have left all state, for good, is free.
        """
        free = FREE_OF_SINKS.get(output.format, frozenset()) | WAYS.get(output.format, frozenset())
        grows = output.carries in (Carries.NOTHING, Carries.DUE) and not output.key
        base = self._free_above(output.step) if grows else None
        is_free = grows and (output.carries is Carries.DUE or base is not None)
        step = base if base is not None and output.carries is Carries.NOTHING else output.step
        facts: dict[str, Fact | None] = {
            "sink": output.name,
            "format": output.format,
            "options": options(_without_settings(output.options, output.format), free),
            **record_format(output.record),
            "key": [each.lower() for each in output.key],
            "rows": self._place(step),
            "held until due": yes(output.carries is Carries.DUE),
            "columns": None if is_free else columns(output.emitted, {}),
            "changes": yes(output.changes),
            "revised until": None if output.revised is None else lower(output.revised, {}),
            "told every": None if output.every is None else length(output.every),
        }
        return given(facts)

    def _free_above(self, name: str) -> str | None:
        """The step from whose rows another selects, if no state depends on what it selects.

        Spark keeps in the state of its own joins and groups what is used above them. What
        operators of the runtime keep does not depend on that, and sources keep nothing.
        """
        step = self._steps[name]
        while isinstance(step, Select) and not step.joins and not step.tables:
            step = self._steps[step.input.step]
        is_apart = (isinstance(step, OverRows) and step.frames) or isinstance(
            step, FilledRows | MatchRows | PanedRows
        )
        return step.name if is_apart or self._is_without_state(step) else None

    def _is_without_state(self, step: Step) -> bool:
        match step:
            case Read():
                return True
            case Watermarked(input=Input(step=below)) | Late(of=below) | Bad(of=below):
                return self._is_without_state(self._steps[below])
            case Select(input=Input(step=below), joins=()):
                return self._is_without_state(self._steps[below])
            case _:
                return False

    def _place(self, name: str) -> int:
        """Where the operator of a step stands, after those that it reads."""
        if name not in self.places:
            step = self._steps[name]
            if _is_only_a_name(step):
                self.places[name] = self._place(step.input.step)
            else:
                facts = given(self._facts(step))
                if facts not in self.operators:
                    self.operators.append(facts)
                self.places[name] = self.operators.index(facts) + 1
        return self.places[name]

    def _facts(self, step: Step) -> dict[str, Fact | None]:  # noqa: C901  a line for each kind
        match step:
            case Read():
                return self._read(step)
            case Watermarked():
                of = self._place(step.input.step)
                facts: dict[str, Fact | None] = {"operator": "watermark", "name": step.source}
                late = length(step.allowance) if step.allowance else None
                mark = watermark(step.time, step.strategy, step.input)
                return {**facts, "of": of, **mark, "late for": late}
            case Late():
                return {"operator": "late rows", "of": self._place(step.of)}
            case Bad():
                is_beside = yes(step.beside_clock)
                return {
                    "operator": "bad rows",
                    "of": self._place(step.of),
                    "beside the clock": is_beside,
                }
            case Static():
                tables = self._tables(step.tables)
                return {
                    "operator": "static query",
                    "query": one_spelling(step.sql),
                    "tables": tables,
                }
            case Select():
                return self._select(step)
            case Union():
                return {"operator": "union", "of": [self._place(each.step) for each in step.inputs]}
            case Windowed():
                return windowed(step, self._place(step.input.step))
            case Grouped():
                of = self._place(step.input.step)
                return grouped(step, of, self._tables(step.tables))
            case Sessions():
                of = self._place(step.input.step)
                return sessions(step, of, self._tables(step.tables))
            case TotaledSessions():
                return totaled_sessions(step, self._place(step.input.step))
            case OverRows():
                return over(step, self._place(step.input.step))
            case MatchRows():
                return matched(step, self._place(step.input.step))
            case FilledRows():
                return filled(step, self._place(step.input.step))
            case PanedRows():
                return paned(step, self._place(step.input.step))
            case (
                ChangedRows()
                | TableRows()
                | Totaled()
                | CountedRows()
                | UntilPartnered()
                | PairedRows()
                | TopRows()
                | OverChanged()
            ):
                return changing(step, [self._place(each) for each in inputs_of(step)])
            case _:
                assert_never(step)

    def _read(self, step: Read) -> dict[str, Fact | None]:
        fields = [
            f"{each.name} {each.type}{' NOT NULL' if each.required else ''}" for each in step.fields
        ]
        return {
            "operator": "table" if step.static else "source",
            "name": step.source,
            "format": step.format,
            "options": options(
                _without_settings(step.options, step.format),
                FREE_OF_SOURCES | WAYS.get(step.format or "", frozenset()),
            ),
            **record_format(step.record),
            "included": dict(step.included) or None,
            "primary key": [named(each) for each in step.key],
            "columns": fields if self._keeps else None,
            **(watermark(step.time, step.strategy) if step.time and step.strategy else {}),
            "late for": length(step.allowance) if step.allowance else None,
            "per": None if step.per is None else step.per.lower(),
            "idle after": None if step.idle_after is None else length(step.idle_after),
            "times in milliseconds": step.epoch_ms,
            "clock": "the wall clock" if step.ticks else None,
            "beside the clock": yes(step.beside_clock),
        }

    def _select(self, step: Select) -> dict[str, Fact | None]:
        names = relations([step.input, *(join.input for join in step.joins)])
        return {
            "operator": "join" if step.joins else "rows",
            "of": self._place(step.input.step),
            "with": [self._joined(each, names) for each in step.joins],
            "conditions": spelled(step.where, names, in_order=False),
            "due": [branches(each, names) for each in step.releases],
            "columns": columns(step.items, names),
            "tables": self._tables(step.tables),
        }

    def _joined(self, join: JoinWith, names: Names) -> Facts:
        left, right = join.left_only_if, join.right_only_if
        return given(
            {
                "rows": self._place(join.input.step),
                "kind": join.kind,
                "on": spelled_or_none(join.on, names),
                # Of the side that is kept, and of the right one of a join that keeps both.
                "only if": spelled_or_none(right if join.kind == "right" else left, names),
                "right only if": spelled_or_none(right if join.kind == "full" else None, names),
                "using": [named(each) for each in join.using],
                "left until": untils(join.left_until, names),
                "right until": untils(join.right_until, names),
            }
        )

    def _tables(self, names: Iterable[str]) -> dict[str, Fact]:
        """Tables that SQL reads, by the names that it has for them."""
        found: dict[str, Fact] = {}
        for name in names:
            step = self._steps[name]
            match step:
                case Static(view=view):
                    name_in_sql = view
                case Read(source=source):
                    name_in_sql = source
                case _:
                    name_in_sql = name
            found[name_in_sql.lower()] = self._place(name)
        return found


def _without_settings(
    options: Iterable[tuple[str, str]], form: str | None
) -> list[tuple[str, str]]:
    """Options without those of the library that comes to a table."""
    own = SETTINGS.get(form or "")
    return [each for each in options if own is None or not each[0].lower().startswith(own)]


def _is_only_a_name(step: Step) -> TypeGuard[Select]:
    """Whether rows pass through a step as they are."""
    return isinstance(step, Select) and not (
        step.joins or step.where or step.releases or step.items or step.tables
    )
