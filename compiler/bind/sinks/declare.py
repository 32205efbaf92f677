"""CREATE SINK -> sinks of the plan: what each makes of a result that changes.

    changelog   every change is a row more, with `_time` and `_diff` at its end: files, Kafka,
                the console
    upsert      a row for each key, as the result stands: sinks with a key; in Kafka a record for
                each key that a batch has changed
    append      rows for good; a result that changes is refused: all else

`OPTIONS (mode '…')` says otherwise; `key`, or `primary_key` as RisingWave has it, names the key.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.bind.names.scope import OutColumn
from compiler.bind.sinks.formats import CHANGELOGS, KEYED, TABLES, place_of
from compiler.bind.sources.plugins import SINKS, plugin_of
from compiler.bind.sources.records import declare_record
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.nodes import RecordFormat, Sink, SinkKind
from compiler.source import Span
from compiler.sql.names import same
from compiler.syntax import span_of
from compiler.syntax.nodes import CreateSink

KAFKA = "kafka"
RECORD = frozenset({"key", "value", "headers", "partition", "topic"})
"""Columns of a record of Kafka: a result that has no others, and a value, is such records."""

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
    options: list[tuple[str, str]] = []
    key: tuple[str, ...] = ()
    mode: SinkKind | None = None
    for each in node.args.get("options") or ():
        name, value = str(each.this), str(each.expression.this)
        if name.lower() in KEY:
            key = tuple(part.strip() for part in value.split(",") if part.strip())
        elif name.lower() == MODE:
            mode = _mode(value, span_of(each), problems)
        else:
            options.append((name, value))
    form = node.args["format"].name.lower() if node.args.get("format") else None
    declared = declare_record(node, tuple(options), problems)
    options = [*declared.options]
    kind = mode or _told(declared.record) or _kind(form, key)
    if form == KAFKA and key and kind is not SinkKind.UPSERT:
        # The key of each record, and not of the rows: one key may have many.
        options.append((KEY[0], ", ".join(key)))
        key = ()
    sink = Sink(
        name=node.this.name,
        format=form,
        options=tuple(options),
        kind=kind,
        key=key,
        record=declared.record,
        span=span_of(node.this),
    )
    _check_mode(sink, problems)
    return sink


def _mode(value: str, span: Span, problems: Problems) -> SinkKind | None:
    mode = MODES.get(value.lower())
    if mode is None:
        problems.add(
            "TVF609",
            f"there is no mode `{value}`",
            span,
            "not known",
            advice=did_you_mean(value, [*MODES]) or "modes are append, changelog and upsert",
        )
    return mode


def _told(record: RecordFormat | None) -> SinkKind | None:
    """What the FORMAT of a sink says of it, as its mode does."""
    known = {"upsert": SinkKind.UPSERT, "changelog": SinkKind.CHANGELOG}
    return known.get(record.form) if record is not None else None


def _kind(form: str | None, key: tuple[str, ...]) -> SinkKind:
    """What a sink is that does not say so."""
    plugin = plugin_of(SINKS, form)
    if plugin is not None and plugin.modes:
        return SinkKind.UPSERT if key else plugin.modes[0]
    if key or form in KEYED:
        return SinkKind.UPSERT
    return SinkKind.CHANGELOG if form is None or form in CHANGELOGS else SinkKind.APPEND


def _check_mode(sink: Sink, problems: Problems) -> None:
    """A key, and a format or mode that keeps to it, go together."""
    plugin = plugin_of(SINKS, sink.format)
    if plugin is not None and plugin.modes and sink.kind not in plugin.modes:
        modes = ", ".join(each.value for each in plugin.modes)
        problems.add(
            "TVF609",
            f"the sink {sink.format} of {plugin.package} has no mode `{sink.kind.value}`",
            sink.span,
            "with a key" if sink.key else f"mode {sink.kind.value}",
            advice=f"it has {modes}",
        )
        return
    holds_keys = sink.format == KAFKA or sink.format not in CHANGELOGS
    by_key = sink.kind is SinkKind.UPSERT and holds_keys
    if by_key and not sink.key:
        problems.add(
            "TVF609",
            f"`{sink.name}` holds a row for each key, and has none",
            sink.span,
            "no key",
            advice="name the columns that tell its rows apart: `OPTIONS (key 'id, day')`",
        )
    elif not by_key and (sink.key or sink.kind is SinkKind.UPSERT or sink.format in KEYED):
        is_format = not holds_keys
        problems.add(
            "TVF609",
            f"`{sink.name}` adds rows to those before, and can hold none by key"
            if is_format
            else f"`{sink.name}` holds a row for each key, and is to add all rows",
            sink.span,
            f"{sink.format} has no keys" if is_format else f"mode {sink.kind.value}",
            advice="leave the key out, or take a sink that holds rows by key: `USING sqlite`"
            if is_format
            else "leave `mode` out, or take files: `USING parquet`",
        )


def refuse_same_place(sinks: Sequence[Sink], problems: Problems) -> None:
    """Two sinks with one folder or table would take what the other wrote for their own."""
    places: dict[tuple[str | None, ...], Sink] = {}
    topics: dict[str, list[Sink]] = {}
    for sink in sinks:
        options = {name.lower(): value for name, value in sink.options}
        if sink.format == KAFKA and "topic" in options:
            others = topics.setdefault(options["topic"], [])
            others.append(sink)
            _refuse_same_topic(others, problems)
        place = place_of(sink)
        if place is None:
            continue
        is_folder = place[-1] is None
        first = places.setdefault(place, sink)
        if first is not sink:
            problems.add(
                "TVF606",
                f"two sinks write to one {'folder' if is_folder else 'table'}",
                sink.span,
                "the second one",
                more=[(first.span, "the first one")],
                advice="give each its own, or put the queries together with UNION ALL",
            )


def _refuse_same_topic(sinks: Sequence[Sink], problems: Problems) -> None:
    """The last of the sinks of a topic, if any of them holds a row for each key there."""
    first, last = sinks[0], sinks[-1]
    if first is not last and any(each.kind is SinkKind.UPSERT for each in sinks):
        problems.add(
            "TVF606",
            "two sinks write to one topic, which is to hold a row for each key",
            last.span,
            "the second one",
            more=[(first.span, "the first one")],
            advice="give each its own, or put the queries together with UNION ALL",
        )


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
        is_table = sink.format in TABLES
        takes_nothing = "no key" if is_table else f"{sink.format} takes nothing back"
        by_key = "`OPTIONS (key '…')`"
        if not is_table:
            by_key = f"`CREATE SINK {sink.name} USING sqlite OPTIONS (path '…', key '…')`"
        problems.add(
            "TVF608",
            f"the result changes, and `{sink.name}` takes rows for good",
            sink.span,
            "declared with mode 'append'" if is_told else takes_nothing,
            notes=["a row of the result may leave it again, or come in place of another"],
            advice="end the query with EMIT ON WINDOW CLOSE for rows that are final, "
            + ("leave `mode` out" if is_told else "add `OPTIONS (mode 'changelog')`")
            + " for a row with `_time` and `_diff` at every change, or hold the result by key: "
            + by_key,
        )
    if columns is None:
        return
    if changes and _is_records(sink, columns):
        problems.add(
            "TVF608",
            f"the result changes, and `{sink.name}` would not say how",
            sink.span,
            "the rows are records",
            notes=["a result of `key` and `value` alone goes to Kafka as it is"],
            advice="give the columns other names, so that each row with `_time` and `_diff` is a "
            "value of JSON; or hold the result by key: `OPTIONS (key '…')`",
        )
    for own in ("_time", "_diff"):
        tells = changes or sink.kind is SinkKind.UPSERT
        if tells and any(same(each.name, own) for each in columns):
            problems.add(
                "TVF608",
                f"the result {'changes' if changes else 'is kept by key'}, and has a column "
                f"`{own}` of its own",
                sink.span,
                f"`{own}` tells of every change",
                advice="give the column another name with AS",
            )
    if sink.kind is SinkKind.UPSERT or _message_key(sink) or sink.format in TABLES:
        _check_key(sink, columns, problems)


def _message_key(sink: Sink) -> tuple[str, ...]:
    """The columns of the key of records of Kafka, where a key may have many of them."""
    if sink.format != KAFKA:
        return ()
    given = "".join(value for name, value in sink.options if name == KEY[0])
    return tuple(part.strip() for part in given.split(",") if part.strip())


def _is_records(sink: Sink, columns: Sequence[OutColumn]) -> bool:
    """Whether a result goes to Kafka as it is, its columns being those of records."""
    if sink.format != KAFKA or sink.key or _message_key(sink):
        return False
    names = {each.name.lower() for each in columns}
    return "value" in names and names <= RECORD


def _check_key(sink: Sink, columns: Sequence[OutColumn], problems: Problems) -> None:
    names = [each.name for each in columns]
    key = sink.key or _message_key(sink)
    for part in key:
        if not any(same(part, name) for name in names):
            problems.add(
                "TVF610",
                f"the result has no column `{part}` for the key of `{sink.name}`",
                sink.span,
                f"key {', '.join(key)}",
                advice=did_you_mean(part, names) or f"select it under this name: `… AS {part}`",
            )
    for place, name in enumerate(names):
        if any(same(name, other) for other in names[:place]):
            problems.add(
                "TVF610",
                f"the result has two columns `{name}`, and `{sink.name}` one of a name",
                sink.span,
                "told apart by their names",
                advice="give one of them another name with AS",
            )
