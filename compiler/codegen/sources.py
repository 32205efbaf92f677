"""How a job declares and reads its sources: columns, options, watermarks."""

from __future__ import annotations

import json

from compiler.codegen.names import Names
from compiler.codegen.quoting import INDENT, literal
from compiler.codegen.state import json_lines
from compiler.codegen.writer import (
    WIDTH,
    Call,
    Code,
    assignment,
    call,
    keyword,
)
from compiler.release.nodes import (
    Read,
    RecordFormat,
)

LONG_PART = 76
"""So many characters of a long option stand on a line."""


def declaration(step: Read, names: Names, job_to_query: str) -> str:
    """The constant that describes a source."""
    columns = tuple(f"{literal(each.name)}: {literal(each.type)}" for each in step.fields)
    arguments: list[Code] = [
        keyword("name", literal(step.source)),
        keyword("columns", Call("", columns, "{}")),
    ]
    if step.format:
        arguments.append(keyword("format", literal(step.format)))
    if step.options:
        arguments.append(keyword("options", options_of(step.options, job_to_query)))
    if step.record is not None:
        arguments.append(keyword("record", record_format(step.record)))
    if step.included:
        pairs = tuple(f"{literal(name)}: {literal(what)}" for name, what in step.included)
        arguments.append(keyword("included", Call("", pairs, "{}")))
    if step.key:
        arguments.append(keyword("key", Call("", tuple(map(literal, step.key)))))
    required = tuple(literal(each.name) for each in step.fields if each.required)
    if required:
        arguments.append(keyword("required", Call("", required)))
    if step.epoch_ms:
        arguments.append(keyword("epoch_ms", Call("", tuple(map(literal, step.epoch_ms)))))
    if step.static:
        arguments.append("static=True")
    return assignment(names[step.name].upper(), Call("tvfc.Source", tuple(arguments)), 0)


def options_of(options: tuple[tuple[str, str], ...], job_to_query: str) -> Call:
    """OPTIONS as a dict; a relative path is taken from the folder of the query."""
    pairs = tuple(f"{literal(key)}: {_option(key, value, job_to_query)}" for key, value in options)
    return Call("", pairs, "{}")


def record_format(record: RecordFormat) -> Call:
    """How records are written, as the runtime is told."""
    options = tuple(_record_option(key, value) for key, value in record.options)
    return call(
        "tvfc.RecordFormat",
        keyword("form", literal(record.form)),
        keyword("encode", literal(record.encode)),
        *([keyword("options", Call("", options, "{}"))] if options else []),
    )


def _record_option(key: str, value: str) -> Code:
    """An option; a schema in as many lines as it needs."""
    pair = f"{literal(key)}: {literal(value)}"
    if len(pair) <= WIDTH - 3 * len(INDENT):
        return pair
    if key.lower() == "schema" and value[:1] in ("{", "[", '"'):
        lines = json_lines(json.loads(value))
        parts = [*(f"{line} " for line in lines[:-1]), lines[-1]]
    else:
        parts = [value[begin : begin + LONG_PART] for begin in range(0, len(value), LONG_PART)]
    return Call(f"{literal(key)}: ", tuple(map(literal, parts)), between="")


def _option(key: str, value: str, job_to_query: str) -> str:
    # What begins with a variable is a whole path once the job starts.
    if (
        key.lower() not in ("path", "backfill.path")
        or value.startswith(("/", "file:", "${"))
        or "://" in value
    ):
        return literal(value)
    relative = value if job_to_query == "." else f"{job_to_query}/{value}"
    return f"str(HERE / {literal(relative)})"
