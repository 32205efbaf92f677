"""Sources of changes: records that say what has become of rows, by FORMAT.

    UPSERT      the row of its key; without a value the key goes
    DEBEZIUM    an envelope with the row as it is, and perhaps as it was
    MAXWELL     likewise
    CHANGELOG   a row and by how much more often it is there, `_diff`, as sinks of tvfc write it

Where records need not tell what a row was, PRIMARY KEY says by what rows are told apart, and the
job keeps the last one of each key. `before.images = 'whole'` says that they do tell.

Before   Scan of a source of changes
After    Changed (Scan)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.sources.record_options import REGISTRIES, REGISTRY
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.facts.sources import (
    CHANGELOG,
    CHANGING,
    ENVELOPES,
    IMAGES,
    UPSERT,
    WHOLE,
    is_changing,
)
from compiler.plan.nodes import Column, RecordFormat, Source
from compiler.source import Span
from compiler.sql.names import same
from compiler.syntax import span_of
from compiler.syntax.nodes import CreateSource, CreateTable, PrimaryKey

TIMES = "timestamp.handling.mode"
DECIMALS = "decimal.handling.mode"
TABLE = "table.name"
PLACEHOLDER = "unavailable.value.placeholder"
_VALUES = {
    IMAGES: (WHOLE,),
    TIMES: ("milli", "micro", "nano"),
    # Debezium's third one, `precise`, writes the bytes of a number in base64.
    DECIMALS: ("string", "double"),
}
_OPTIONS = {
    "debezium": (IMAGES, TIMES, DECIMALS, PLACEHOLDER, TABLE),
    "maxwell": (IMAGES, TIMES, TABLE),
    UPSERT: (TIMES, PLACEHOLDER),
    CHANGELOG: (),
}
"""Options of ENCODE, by form."""

_OF_AVRO = {
    form: (*(each for each in _OPTIONS[form] if each != DECIMALS), *REGISTRIES)
    for form in ("debezium", UPSERT)
}
"""The same where they are in Avro, whose schema says what a decimal is."""

_LINES = ("json", "text")
"""Files of which each line is a record."""
_ROWS = ("json", "parquet", "orc", "csv", "avro", "xml")
"""Files of which each row may have a `_diff`."""

_OF_CHANGELOGS = ("_time", "_diff")


def in_one_spelling(record: RecordFormat) -> RecordFormat:
    """A format whose options have lower case, and values that are words, too."""
    options = tuple(
        (name.lower(), value.lower() if name.lower() in _VALUES else value)
        for name, value in record.options
    )
    return replace(record, options=options)


def told_by_mode(
    options: Sequence[tuple[str, str]], medium: str | None
) -> tuple[RecordFormat | None, tuple[tuple[str, str], ...]]:
    """`OPTIONS (mode 'changelog')`, as sinks have it, and the other options."""
    left = tuple(each for each in options if each[0].lower() != "mode")
    modes = [value.lower() for name, value in options if name.lower() == "mode"]
    if modes != [CHANGELOG]:
        return None, tuple(options)
    encode = medium if medium in _ROWS else "json"
    return RecordFormat(form=CHANGELOG, encode=encode or "json"), left


def check_changes(
    record: RecordFormat,
    node: CreateSource | CreateTable,
    medium: str | None,
    span: Span,
    problems: Problems,
) -> None:
    """See that records of a form may be read from where they are."""
    name, form = node.this.name, record.form.upper()
    files = _ROWS if record.form == CHANGELOG else _LINES
    encodes = _encodings(record.form, medium)
    if isinstance(node, CreateTable):
        problems.add(
            "TVF664",
            "a table is read whole, and has no changes",
            span,
            "changes of rows",
            more=[(span_of(node.this), "declared as a table")],
            advice=f"write CREATE SOURCE {name}",
        )
    elif medium not in (None, "kafka", *files):
        problems.add(
            "TVF664",
            f"{form} is not read from {medium}",
            span,
            f"records of {medium}",
            advice=f"it is read from kafka and from files of {', '.join(files)}",
        )
    elif record.encode not in encodes:
        problems.add(
            "TVF664",
            f"{form} is not read from ENCODE {record.encode.upper()} here",
            span,
            "not supported",
            advice=f"write FORMAT {form} ENCODE {' or '.join(encodes).upper()}",
        )
    _check_options(record, medium, span, problems)


def _encodings(form: str, medium: str | None) -> tuple[str, ...]:
    """In what records of a form may be written."""
    if form == CHANGELOG and medium is not None and medium in _ROWS:
        return (medium,)
    return ("json", "avro") if medium == "kafka" and form in _OF_AVRO else ("json",)


def _check_options(
    record: RecordFormat, medium: str | None, span: Span, problems: Problems
) -> None:
    form = record.form.upper()
    in_avro = medium == "kafka" and record.encode == "avro" and record.form in _OF_AVRO
    known = (_OF_AVRO if in_avro else _OPTIONS)[record.form]
    if in_avro and REGISTRY not in dict(record.options):
        problems.add(
            "TVF664",
            f"FORMAT {form} ENCODE AVRO needs a registry of schemas",
            span,
            "no schema.registry",
            advice=f"add ({REGISTRY} = 'http://…'), whose schemas records name by number",
        )
    for key, value in record.options:
        values = _VALUES.get(key.lower())
        if key.lower() not in known:
            problems.add(
                "TVF664",
                f"FORMAT {form} has no option `{key}`",
                span,
                "declared with it",
                advice=did_you_mean(key, [*known])
                or (f"it has {', '.join(known)}" if known else "leave it out"),
            )
        elif key.lower() == PLACEHOLDER and not value:
            problems.add(
                "TVF664",
                f"`{key}` cannot be empty",
                span,
                "so declared",
                advice="write what Debezium has been told to write; without the option it is "
                "`__debezium_unavailable_value`",
            )
        elif values is not None and value.lower() not in values:
            problems.add(
                "TVF664",
                f"`{key}` cannot be `{value}`",
                span,
                "so declared",
                advice=f"it is {' or '.join(repr(each) for each in values)}",
            )


def check_declared(source: Source, node: CreateSource | CreateTable, problems: Problems) -> None:
    """See that a source of changes has a key if it needs one, and no watermark."""
    if source.record is None or not is_changing(source):
        return
    form = source.record.form
    whole = dict(source.record.options).get(IMAGES) == WHOLE
    watermarks = node.args.get("watermarks") or []
    if watermarks:
        problems.add(
            "TVF663",
            "a source of changes has no watermark",
            span_of(watermarks[0]),
            "would refuse what takes a row back",
            more=[(source.span, f"rows come and go, by FORMAT {form.upper()}")],
            notes=["a row that is withdrawn has the time at which it was made, and would be late"],
            advice="leave it out: changes count from their arrival, and another source or "
            "mz_now() gives the clock",
        )
    if source.format != "kafka" and not (form == CHANGELOG or whole):
        _refuse_pieces(source, problems)
    if form == CHANGELOG:
        _refuse_own_columns(source, problems)
    elif not whole and not _keys(node):
        advice = "add `PRIMARY KEY (id)` to the columns, and the last row of each key is kept"
        if form in ENVELOPES:
            advice += (
                f"; or write `ENCODE JSON ({IMAGES} = '{WHOLE}')` if the database always logs the "
                "whole row as it was"
            )
        problems.add(
            "TVF661",
            f"`{source.name}` does not say by what its rows are told apart",
            source.span,
            "no PRIMARY KEY",
            notes=["a record need not tell what a row was before, and that is what goes"],
            advice=advice,
        )
    if source.included and (whole or form == CHANGELOG):
        what = "FORMAT CHANGELOG" if form == CHANGELOG else f"{IMAGES} = {WHOLE!r}"
        problems.add(
            "TVF664",
            f"INCLUDE and {what} do not go together",
            span_of(node.args["included"][0]),
            "of this record",
            notes=["what a row had of the record that brought it is not in the one that takes it"],
            advice="leave INCLUDE out"
            if form == CHANGELOG
            else f"leave one of them out; with PRIMARY KEY and without {IMAGES} it is kept",
        )


def _refuse_own_columns(source: Source, problems: Problems) -> None:
    for column in source.columns:
        if any(same(column.name, name) for name in _OF_CHANGELOGS):
            problems.add(
                "TVF664",
                f"`{column.name}` of a changelog is no column of its rows",
                column.span,
                "says when or how a row has changed",
                advice="leave it out: it is read in any case",
            )


def declared_key(
    node: CreateSource | CreateTable,
    columns: Sequence[Column],
    record: RecordFormat | None,
    problems: Problems,
) -> tuple[str, ...]:
    """The columns of PRIMARY KEY, as they are declared; faults are reported."""
    found = [*_keys(node)]
    for _, span in found[1:]:
        problems.add(
            "TVF662",
            "a source has one PRIMARY KEY",
            span,
            "a second one",
            more=[(found[0][1], "the first one")],
            advice="name all of its columns in one: `PRIMARY KEY (a, b)`",
        )
    if not found:
        return ()
    names, span = found[0]
    if record is None or record.form not in CHANGING - {CHANGELOG}:
        is_log = record is not None and record.form == CHANGELOG
        problems.add(
            "TVF662",
            "a changelog tells itself which rows go; it has no PRIMARY KEY"
            if is_log
            else "these rows come and stay; they have no PRIMARY KEY",
            span,
            "keeps nothing apart",
            advice="leave it out"
            if is_log
            else "leave it out; or write `FORMAT UPSERT ENCODE JSON` if a row replaces the one "
            "before it that has its key",
        )
        return ()
    return tuple(
        column.name
        for each in names
        if (column := _key_column(each, columns, problems)) is not None
    )


def _keys(node: CreateSource | CreateTable) -> list[tuple[list[exp.Identifier], Span]]:
    """All that are declared, behind a column or by themselves."""
    behind = [
        ([column.this], span_of(column.this))
        for column in node.args["columns"] or ()
        for each in column.args.get("constraints") or ()
        if isinstance(each.kind, exp.PrimaryKeyColumnConstraint)
    ]
    apart = [
        (key.expressions, span_of(key))
        for key in node.args.get("keys") or ()
        if isinstance(key, PrimaryKey)
    ]
    return [*behind, *apart]


def _key_column(
    name: exp.Identifier, columns: Sequence[Column], problems: Problems
) -> Column | None:
    column = next((each for each in columns if same(each.name, name.name)), None)
    if column is None:
        names = [each.name for each in columns]
        problems.add(
            "TVF662",
            f"PRIMARY KEY names a column `{name.name}` that is not declared",
            span_of(name),
            "no such column",
            advice=did_you_mean(name.name, names) or "name a column of the list",
        )
    elif column.type.ddl.upper().startswith(("MAP", "VARIANT")):
        problems.add(
            "TVF662",
            f"rows cannot be told apart by `{name.name}`, which is {column.type.ddl}",
            span_of(name),
            "cannot be compared",
            advice="name columns that can",
        )
        return None
    return column


def _refuse_pieces(source: Source, problems: Problems) -> None:
    """Files of one moment have an order within a batch alone, and the last change counts."""
    for key, _ in source.options:
        if key.lower() in _PIECES:
            problems.add(
                "TVF664",
                f"with `{key}` changes in files may come out of order",
                source.span,
                "declared with it",
                notes=[
                    "files that were written at the same moment are read in any order, unless "
                    "they are in one batch"
                ],
                advice="leave it out: a batch takes all files that there are, by time, path and "
                "line",
            )


_PIECES = frozenset({"maxfilespertrigger", "maxbytespertrigger", "latestfirst"})
