"""CREATE SINK -> sinks of the plan: what each makes of a result that changes.

    changelog   every change is a row more, with `_time` and `_diff` at its end: files, Kafka,
                the console
    upsert      a row for each key, as the result stands: sinks with a key
    append      rows for good; a result that changes is refused: all else

`OPTIONS (mode '…')` says otherwise; `key`, or `primary_key` as RisingWave has it, names the key.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.plan.nodes import Sink, SinkKind
from compiler.plan.problems import Problems
from compiler.plan.scope import OutColumn, did_you_mean, same
from compiler.source import Span
from compiler.syntax import span_of
from compiler.syntax.nodes import CreateSink

CHANGELOGS = frozenset(
    {"console", "noop", "memory", "json", "parquet", "orc", "csv", "xml", "avro", "kafka"}
)
"""Formats whose readers find `_time` and `_diff` as columns like others."""

TABLES = frozenset({"sqlite"})
"""Formats of the runtime that hold a row for each key, and nothing else."""

KEY = ("key", "primary_key")
MODE = "mode"
MODES = {
    "append": SinkKind.APPEND,
    "append-only": SinkKind.APPEND,
    "changelog": SinkKind.CHANGELOG,
    "upsert": SinkKind.UPSERT,
}


def declare_sink(node: CreateSink, problems: Problems) -> Sink:
    """A sink as declared, without the options that are for the compiler; faults are reported."""
    form = node.args["format"].name.lower() if node.args.get("format") else None
    options: list[tuple[str, str]] = []
    key: tuple[str, ...] = ()
    mode: str | None = None
    place = span_of(node.this)
    for each in node.args.get("options") or ():
        name, value = str(each.this), str(each.expression.this)
        if name.lower() in KEY:
            key = tuple(part.strip() for part in value.split(",") if part.strip())
        elif name.lower() == MODE:
            mode, place = value.lower(), span_of(each)
        else:
            options.append((name, value))
    return Sink(
        name=node.this.name,
        format=form,
        options=tuple(options),
        kind=_kind(node.this, form, key, mode, place, problems),
        key=key,
        span=span_of(node.this),
    )


def _kind(
    name: exp.Identifier,
    form: str | None,
    key: tuple[str, ...],
    mode: str | None,
    place: Span,
    problems: Problems,
) -> SinkKind:
    kind = MODES.get(mode or "")
    if mode is not None and kind is None:
        problems.add(
            "TVF609",
            f"`{name.name}` has a mode that there is not",
            place,
            "no such mode",
            advice=did_you_mean(mode, [*MODES]) or "modes are append, changelog and upsert",
        )
    is_table = form in TABLES
    if not key and (is_table or kind is SinkKind.UPSERT):
        problems.add(
            "TVF609",
            f"`{name.name}` holds a row for each key, and has none",
            span_of(name),
            "no key",
            advice="name the columns that tell its rows apart: `OPTIONS (key 'id, day')`",
        )
    elif (
        key
        and not is_table
        and (form in CHANGELOGS or (kind or SinkKind.UPSERT) is not SinkKind.UPSERT)
    ):
        problems.add(
            "TVF609",
            f"`{name.name}` has a key, and adds every row to those before",
            span_of(name),
            f"a key for {form}" if mode is None else "a key, and a mode without",
            advice="leave `key` out, or take a sink that holds a row for each: `USING sqlite`",
        )
    if is_table and has_other_mode:
        problems.add(
            "TVF609",
            f"`{name.name}` holds a row for each key; it keeps nothing beside",
            place,
            "another mode",
            advice="leave `mode` out, or take files: `USING parquet`",
        )
    if kind is not None:
        return kind
    if key or is_table:
        return SinkKind.UPSERT
    return SinkKind.CHANGELOG if form is None or form in CHANGELOGS else SinkKind.APPEND


def check_sink(
    sink: Sink, columns: Sequence[OutColumn] | None, problems: Problems, *, changes: bool
) -> None:
    """See that a sink can take a result.

    Args:
        sink: the sink.
        columns: those of the result, without `_time` and `_diff`; None: they are not known.
        problems: takes what is at fault.
        changes: whether the result takes rows back.
    """
    if changes and sink.kind is SinkKind.APPEND:
        is_told = sink.format in CHANGELOGS
        problems.add(
            "TVF608",
            f"the result changes, and `{sink.name}` takes rows for good",
            sink.span,
            "declared with mode 'append'" if is_told else f"{sink.format} takes nothing back",
            notes=["a row of the result may leave it again, or come in place of another"],
            advice="end the query with EMIT ON WINDOW CLOSE for rows that are final, "
            + ("leave `mode` out" if is_told else "add `OPTIONS (mode 'changelog')`")
            + " for a row with `_time` and `_diff` at every change, or hold the result by key: "
            f"`CREATE SINK {sink.name} USING sqlite OPTIONS (path '…', key '…')`",
        )
    if columns is None:
        return
    if changes and sink.format == "kafka" and any(same(each.name, "value") for each in columns):
        problems.add(
            "TVF608",
            f"the result changes, and `{sink.name}` would not say how",
            sink.span,
            "Kafka takes `value` alone",
            notes=["a record of Kafka has no columns beside key and value"],
            advice="select the columns themselves; without a column `value` the whole row, with "
            "`_time` and `_diff`, is the record's value as JSON",
        )
    if sink.kind is SinkKind.UPSERT:
        _check_key(sink, columns, problems)


def _check_key(sink: Sink, columns: Sequence[OutColumn], problems: Problems) -> None:
    names = [each.name for each in columns]
    for part in sink.key:
        if not any(same(part, name) for name in names):
            problems.add(
                "TVF610",
                f"the result has no column `{part}` for the key of `{sink.name}`",
                sink.span,
                f"key {', '.join(sink.key)}",
                advice=did_you_mean(part, names) or f"select it under this name: `… AS {part}`",
            )
    for place, name in enumerate(names):
        if any(same(name, other) for other in names[:place]):
            problems.add(
                "TVF610",
                f"the result has two columns `{name}`, and the table `{sink.name}` one of a name",
                sink.span,
                "holds a row for each key",
                advice="give one of them another name with AS",
            )
