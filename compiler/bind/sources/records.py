"""How the records of Kafka are written: FORMAT … ENCODE, INCLUDE, and OPTIONS that say the same.

    CREATE SOURCE orders (id INT) INCLUDE timestamp AS ts USING kafka OPTIONS (topic 'orders', …)
      FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081')
    … USING kafka OPTIONS (topic 'orders', encode 'avro', encode.schema.registry 'http://…')

A FORMAT says what a record is of a relation, an ENCODE how its fields are written.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.bind.sources.changes import check_changes, in_one_spelling, told_by_mode
from compiler.bind.sources.plugins import FORMATS, names_of
from compiler.bind.sources.record_options import (
    check_plugin,
    check_record_options,
    need_descriptors,
    need_schema,
)
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.facts.sources import CHANGING
from compiler.plan.nodes import Column, RecordFormat
from compiler.source import Span
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import CreateSink, CreateSource, CreateTable

FORMS = ("plain", "upsert", "debezium", "maxwell", "changelog")
"""What a record says: a row; the row of its key; an envelope of a change; a row and its `_diff`."""

ENCODINGS = ("json", "avro", "protobuf", "csv", "bytes")

_IN_OPTIONS = "encode."
_HEADERS = "ARRAY<STRUCT<key: STRING, value: BINARY>>"

INCLUDED = {
    "key": SqlType(Kind.OTHER, "BINARY"),
    "timestamp": SqlType(Kind.TIMESTAMP, "TIMESTAMP"),
    "partition": SqlType(Kind.NUMBER, "INT"),
    "offset": SqlType(Kind.NUMBER, "BIGINT"),
    "headers": SqlType(Kind.OTHER, _HEADERS),
    "topic": SqlType(Kind.STRING, "STRING"),
}
"""What of a record of Kafka beside its value may be a column, and of which type."""


@dataclass(frozen=True)
class Declared:
    """What a statement says of records: how they are written, and the options that are left."""

    record: RecordFormat | None
    options: tuple[tuple[str, str], ...]


def declare_record(
    node: CreateSource | CreateTable | CreateSink,
    options: tuple[tuple[str, str], ...],
    problems: Problems,
) -> Declared:
    """How the records of a source or sink are written; faults are reported.

    Args:
        node: the statement.
        options: its OPTIONS, in which `format`, `encode` and `encode.…` may stand for the clause.
        problems: takes what is at fault.
    """
    medium = node.args["format"].name.lower() if node.args.get("format") else None
    clause = node.args.get("record")
    by_mode, options = (
        (None, options) if isinstance(node, CreateSink) else told_by_mode(options, medium)
    )
    told, left = _in_options(options) if medium == "kafka" else ({}, options)
    span = span_of(clause) if clause is not None else span_of(node.this)
    if clause is None and not told and by_mode is None:
        return Declared(None, options)
    said = [*told, *([] if by_mode is None else ["mode"])]
    if (clause is not None and said) or (len(said) > 1 and "mode" in said):
        problems.add(
            "TVF631",
            "OPTIONS and FORMAT … ENCODE both say how records are written",
            span,
            "said in OPTIONS, too",
            advice=f"leave `{said[-1]}` out of OPTIONS",
        )
    if clause is not None:
        record = RecordFormat(
            form=clause.this.name.lower(),
            encode=clause.args["encode"].name.lower(),
            options=tuple(
                (str(each.this), str(each.expression.this)) for each in clause.args["options"] or ()
            ),
        )
    elif by_mode is not None:
        record = by_mode
    else:
        record = RecordFormat(
            form=told.pop("format", "plain").lower(),
            encode=told.pop("encode", "json").lower(),
            options=tuple((name.removeprefix(_IN_OPTIONS), told[name]) for name in told),
        )
    if record.form in CHANGING and not isinstance(node, CreateSink):
        record = in_one_spelling(record)
        check_changes(record, node, medium, span, problems)
        return Declared(record, left)
    if medium not in ("kafka", None):
        problems.add(
            "TVF632",
            f"{medium} has no records to FORMAT",
            span,
            "says how records of Kafka are written",
            advice=f"leave it out: USING {medium} says how rows are written; or write USING kafka",
        )
    _check(record, node, span, problems)
    return Declared(record, left)


def _in_options(
    options: tuple[tuple[str, str], ...],
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """The options that stand for FORMAT … ENCODE, and the others."""
    told: dict[str, str] = {}
    left: list[tuple[str, str]] = []
    for name, value in options:
        lower = name.lower()
        if lower in ("format", "encode"):
            told[lower] = value
        elif lower.startswith(_IN_OPTIONS):
            told[_IN_OPTIONS + name[len(_IN_OPTIONS) :]] = value
        else:
            left.append((name, value))
    return told, tuple(left)


def _check(
    record: RecordFormat,
    node: CreateSource | CreateTable | CreateSink,
    span: Span,
    problems: Problems,
) -> None:
    for word, known in (("FORMAT", FORMS), ("ENCODE", (*ENCODINGS, *names_of(FORMATS)))):
        name = record.form if word == "FORMAT" else record.encode
        if name not in known:
            problems.add(
                "TVF631",
                f"there is no {word} {name.upper()}",
                span,
                "not known",
                advice=did_you_mean(name, [*known])
                or f"{word} is one of {', '.join(each.upper() for each in known)}",
            )
            return
    written = isinstance(node, CreateSink)
    if record.encode in ENCODINGS:
        check_record_options(record, span, problems, written=written)
    else:
        check_plugin(record, span, problems, written=written)
    if written:
        _check_written(record, span, problems)
    else:
        _check_read(record, span, problems)


def _check_read(record: RecordFormat, span: Span, problems: Problems) -> None:
    need_schema(record, span, problems)


def _check_written(record: RecordFormat, span: Span, problems: Problems) -> None:
    if record.form in ("debezium", "maxwell"):
        problems.add(
            "TVF632",
            f"records of FORMAT {record.form.upper()} are not written",
            span,
            "not supported",
            advice="write FORMAT CHANGELOG, each change with `_time` and `_diff`, or FORMAT "
            "UPSERT, the row of each key as it stands",
        )
    need_descriptors(record, span, problems)


def included_columns(
    node: CreateSource | CreateTable, problems: Problems
) -> tuple[tuple[Column, str], ...]:
    """The columns of INCLUDE, each with what of a record it is; faults are reported."""
    found: list[tuple[Column, str]] = []
    medium = node.args["format"].name.lower() if node.args.get("format") else None
    for each in node.args.get("included") or ():
        what, span = each.this.name.lower(), span_of(each)
        if medium not in ("kafka", None):
            problems.add(
                "TVF633",
                f"rows of {medium} have no {what} to INCLUDE",
                span,
                "records of Kafka have one",
                advice="leave it out, or write USING kafka",
            )
        elif what not in INCLUDED:
            problems.add(
                "TVF633",
                f"a record has no `{what}` to INCLUDE",
                span,
                "not known",
                advice=did_you_mean(what, [*INCLUDED])
                or f"beside its value, a record has {', '.join(INCLUDED)}",
            )
        else:
            alias = each.args.get("alias") or each.this
            column = Column(name=alias.name, type=INCLUDED[what], span=span_of(alias))
            found.append((column, what))
    return tuple(found)
