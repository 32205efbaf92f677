"""The result of a compile, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from compiler.depth import with_room
from compiler.diagnostics import Diagnostic
from compiler.memo import remembering
from compiler.plan.facts.sources import is_changing
from compiler.plan.nodes import Program
from compiler.source import SourceText, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo:
    """A declared source: `columns` are (name, Spark type) pairs.

    `changes` is the form of its records if they change rows, `key` its PRIMARY KEY, and `included`
    are the columns that are none of a record's value.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    watermark_column: str | None
    has_format: bool
    is_static: bool
    span: Span
    changes: str | None = None
    key: tuple[str, ...] = ()
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkInfo:
    """Where an output goes; the last bare query is named `console`."""

    name: str
    format: str | None


class Stages(Mapping[str, str]):
    """The text of each stage of a compile, made when somebody asks for it."""

    def __init__(self, made_by: dict[str, Callable[[], str]]) -> None:
        self._made_by = made_by
        self._texts: dict[str, str] = {}

    def __getitem__(self, stage: str) -> str:
        if stage not in self._texts:
            with remembering():
                self._texts[stage] = with_room(self._made_by[stage])()
        return self._texts[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A compiled script.

    Attributes:
        name: the query file's name without its ending.
        text: job.py, complete.
        stages: text of each stage by name: ast, plan, passes, release, job, lineage, and
            lineage.json; and as JSON what is `kept` for how long, what is said of the `sources`,
            and the `places` of its functions in the descriptions of state.
        warnings: what is legal but worth a look.
        sources: all declared sources and tables.
        sinks: the outputs.
        changing: whether the result retracts rows.
    """

    name: str
    text: str
    stages: Mapping[str, str]
    warnings: tuple[Diagnostic, ...]
    sources: tuple[SourceInfo, ...]
    sinks: tuple[SinkInfo, ...]
    changing: bool = False

    @property
    def explain(self) -> str:
        """The plan and the release plan."""
        return f"{self.stages['plan']}\n{self.stages['release']}"


def describe(
    source: SourceText,
    program: Program,
    text: str,
    stages: Mapping[str, str],
    warnings: tuple[Diagnostic, ...],
) -> Job:
    """Put the result of a compile together."""
    return Job(
        name=job_name(source),
        text=text,
        stages=stages,
        warnings=warnings,
        sources=tuple(
            SourceInfo(
                name=each.name,
                columns=tuple((column.name, column.type.ddl) for column in each.columns),
                watermark_column=each.watermark.column if each.watermark else None,
                has_format=each.format is not None,
                is_static=each.static,
                span=each.span,
                changes=each.record.form if each.record and is_changing(each) else None,
                key=each.key,
                included=tuple(name for name, _ in each.included),
            )
            for each in program.sources
        ),
        sinks=tuple(SinkInfo(name=o.sink.name, format=o.sink.format) for o in program.outputs),
        changing=any(each.changes is not None for each in program.outputs),
    )


def job_name(source: SourceText) -> str:
    """The name of the job for a text."""
    return PurePath(source.name).stem
