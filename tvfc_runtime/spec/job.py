"""What a generated job says of itself: its query, its state, what it writes where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tvfc_runtime.job.building import Job
    from tvfc_runtime.spec.record_format import RecordFormat


@dataclass(frozen=True, kw_only=True)
class Output:
    """One result of a job and where it goes.

    Attributes:
        name: the sink's name; `console` for the last bare query.
        build: makes the frame to be written.
        format: a Spark streaming sink.
        options: options of that sink.
        key: the columns that tell rows apart, where the sink holds one row for each key.
        record: how its records are written; None: as the format does by itself.
        beside: the output whose streaming query writes this one, too; None: it has its own.
    """

    name: str
    build: Callable[[Job], DataFrame]
    format: str = "console"
    options: Mapping[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    beside: str | None = None
    record: RecordFormat | None = None


@dataclass(frozen=True, kw_only=True)
class JobSpec:
    """A whole generated job.

    Attributes:
        name: the query file's name.
        query: the query's text, as compiled; the job's docstring.
        state: what each of its queries keeps in its checkpoint, as JSON (`state.py`); queries that
            keep the same continue each other's checkpoints.
        fingerprint: tells the job from others in checkpoints of earlier versions, which do not say
            what is kept.
        protocol: version of the runtime's interface that the job was generated for.
        outputs: what it writes.
        functions: statements that create the functions that it calls.
        sessions: whether rows are gathered in sessions; see `era.py`.
    """

    name: str
    query: str | None
    fingerprint: str
    protocol: int
    outputs: tuple[Output, ...]
    functions: tuple[str, ...] = ()
    sessions: bool = False
    state: str = ""
