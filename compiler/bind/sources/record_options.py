"""What an ENCODE is told, and what it needs: options, schemas, and the columns that it can fill."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.bind.sources.options import TEXT_OPTIONS
from compiler.bind.sources.plugins import FORMATS, plugin_of
from compiler.diagnostics import suggest
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.nodes import Column, RecordFormat
from compiler.source import Span
from compiler.sqltypes import Kind

REGISTRY = "schema.registry"
REGISTRIES = (REGISTRY, f"{REGISTRY}.username", f"{REGISTRY}.password")
"""The options of a registry: where it is, and who asks."""
_OWN: dict[str, tuple[str, ...]] = {
    "avro": (*REGISTRIES, "schema", "subject"),
    "protobuf": ("schema.registry", "schema", "message"),
    "bytes": (),
}
"""The options of encodings that are ours; those of JSON and CSV are Spark's."""

_WRITTEN = _OWN | {"protobuf": (*REGISTRIES, "schema", "message", "subject")}
"""Those of sinks, which tell the registry of their schema."""


def check_record_options(
    record: RecordFormat, span: Span, problems: Problems, *, written: bool
) -> None:
    """Options that an encoding does not have.

    Args:
        record: with the options.
        span: where they stand.
        problems: takes what is at fault.
        written: whether records are written, not read.
    """
    own = (_WRITTEN if written else _OWN).get(record.encode)
    known = own or TEXT_OPTIONS.get(record.encode, ())
    _check_names(record, known, span, problems, listed=own is not None)


def check_plugin(record: RecordFormat, span: Span, problems: Problems, *, written: bool) -> None:
    """An encoding of a package: whether it can be used, for that, and with these options."""
    plugin = plugin_of(FORMATS, record.encode)
    if plugin is None:
        return
    word = f"ENCODE {record.encode.upper()} of the package {plugin.package}"
    if plugin.fault is not None:
        problems.add(
            "TVF672",
            f"{word} cannot be loaded",
            span,
            "declared with it",
            notes=[plugin.fault],
            advice="mend the package, or install another version of it",
        )
    elif not (plugin.writes if written else plugin.reads):
        problems.add(
            "TVF632",
            f"{word} does not {'write' if written else 'read'} records",
            span,
            "not supported",
            advice="write another ENCODE, or install another version of the package",
        )
    elif plugin.options is not None:
        _check_names(record, plugin.options, span, problems, listed=True)


def _check_names(
    record: RecordFormat,
    known: Sequence[str],
    span: Span,
    problems: Problems,
    *,
    listed: bool,
) -> None:
    lower = {each.lower() for each in known}
    for name in (name.lower() for name, _ in record.options):
        if name not in lower:
            near = suggest(name, known)
            problems.add(
                "TVF636",
                f"ENCODE {record.encode.upper()} has no option `{name}`",
                span,
                "declared with it",
                advice=did_you_mean(name, [*known])
                if near
                else f"it has {', '.join(known)}"
                if listed and known
                else "leave it out: nobody reads it"
                if known
                else "leave it out: it has none",
            )


def need_descriptors(record: RecordFormat, span: Span, problems: Problems) -> None:
    """Records of Protobuf are neither read nor written without the descriptors of their message."""
    names = {name.lower() for name, _ in record.options}
    if record.encode == "protobuf" and not {"schema", "message"} <= names:
        problems.add(
            "TVF636",
            "records of ENCODE PROTOBUF need the descriptors of their message",
            span,
            "no schema" if "schema" not in names else "no message",
            advice="add (message = 'shop.Order', schema = 'order.desc'), a file that `protoc "
            "--include_imports --descriptor_set_out=order.desc` writes",
        )


def need_schema(record: RecordFormat, span: Span, problems: Problems) -> None:
    """Records of a source that are no text cannot be read without a schema."""
    need_descriptors(record, span, problems)
    names = {name.lower() for name, _ in record.options}
    if record.encode == "avro" and not names & {"schema", "schema.registry"}:
        problems.add(
            "TVF636",
            "records of ENCODE AVRO cannot be read without a schema",
            span,
            "no schema",
            advice="add (schema.registry = 'http://…'), whose schemas records name by number, or "
            "(schema = '…'), by which all of them are written",
        )


def check_fields(
    record: RecordFormat, fields: Sequence[Column], span: Span, problems: Problems
) -> None:
    """ENCODE BYTES gives one column, BINARY or STRING."""
    if record.encode != "bytes":
        return
    is_one = len(fields) == 1
    if is_one and (fields[0].type.kind is Kind.STRING or fields[0].type.ddl.upper() == "BINARY"):
        return
    problems.add(
        "TVF636",
        "ENCODE BYTES gives one column, BINARY or STRING",
        span,
        f"{len(fields)} columns" if not is_one else f"`{fields[0].name}` is {fields[0].type.ddl}",
        advice="declare one column, such as `value BINARY`; INCLUDE has what stands beside it",
    )
