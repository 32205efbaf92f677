"""Schemas of records: where a source says they are, and the columns that they make.

    (schema = '{"type": "record", …}')      the schema itself
    (schema = 'order.avsc')                 a file, from the folder of the query
    (schema.registry = 'http://…')          a registry, asked if the source declares no columns

What is found goes into the job, so that it reads by the schema that it was compiled with.
"""

from __future__ import annotations

import base64
import json
from typing import Protocol

from compiler.bind.sources.avro_columns import NoColumnsError, columns_of
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Column, RecordFormat
from compiler.source import Span


class LookupFailedError(Exception):
    """A schema cannot be had; the message says why."""


class Schemas(Protocol):
    """Where a compile finds schemas that its text does not hold."""

    def file(self, path: str) -> str:
        """The text of a file beside the query.

        Raises:
            LookupFailedError: it cannot be read.
        """
        ...

    def binary(self, path: str) -> bytes:
        """The bytes of a file beside the query.

        Raises:
            LookupFailedError: it cannot be read.
        """
        ...

    def latest(self, url: str, login: tuple[str, str] | None, subject: str) -> str:
        """The latest schema of a subject of a registry.

        Raises:
            LookupFailedError: there is none, or the registry does not answer.
        """
        ...


class NoSchemas:
    """A compile that looks nothing up."""

    def file(self, path: str) -> str:
        """No file is read."""
        raise LookupFailedError(f"no file is read here, and so not {path}")

    def binary(self, path: str) -> bytes:
        """No file is read."""
        raise LookupFailedError(f"no file is read here, and so not {path}")

    def latest(self, url: str, login: tuple[str, str] | None, subject: str) -> str:  # noqa: ARG002
        """No registry is asked."""
        raise LookupFailedError("no registry is asked here")


def with_schema(
    record: RecordFormat, schemas: Schemas, span: Span, problems: Problems
) -> RecordFormat:
    """A record format whose `schema` is the schema itself; faults are reported."""
    given = _option(record, "schema")
    if record.encode == "protobuf" and given is not None:
        return _with_descriptors(record, given, schemas, span, problems)
    if record.encode != "avro" or given is None:
        return record
    try:
        is_text = given.lstrip()[:1] in ("{", "[", '"')
        text = given if is_text else schemas.file(given)
        json.loads(text)
    except ValueError as error:
        problems.add(
            "TVF637",
            f"the schema is no JSON: {error}",
            span,
            "its schema",
            advice='a schema of Avro begins `{"type": "record", …`',
        )
        return record
    except LookupFailedError as error:
        problems.add(
            "TVF637",
            str(error),
            span,
            "its schema",
            advice="write the schema itself, or the path of its file from the folder of the query",
        )
        return record
    return _with(record, text)


def _with_descriptors(
    record: RecordFormat, given: str, schemas: Schemas, span: Span, problems: Problems
) -> RecordFormat:
    """Descriptors in base64, as the job has them."""
    try:
        return _with(record, base64.b64encode(schemas.binary(given)).decode())
    except LookupFailedError as error:
        problems.add(
            "TVF637",
            str(error),
            span,
            "its schema",
            advice="write the path, from the folder of the query, of a file that `protoc "
            "--include_imports --descriptor_set_out=…` writes",
        )
        return record


def derived(
    record: RecordFormat,
    topics: tuple[str, ...],
    schemas: Schemas,
    span: Span,
    problems: Problems,
) -> tuple[RecordFormat, tuple[Column, ...]]:
    """The columns of a source that declares none, and the schema that they are of.

    Args:
        record: how its records are written.
        topics: those that it reads, as far as they are named.
        schemas: where schemas are found.
        span: where the source is declared.
        problems: takes what is at fault.
    """
    text = _option(record, "schema")
    if text is None:
        text = _latest(record, topics, schemas, span, problems)
    if text is None:
        return record, ()
    try:
        found = columns_of(json.loads(text))
    except (ValueError, NoColumnsError) as error:
        why = str(error) if isinstance(error, NoColumnsError) else "it is no JSON"
        problems.add(
            "TVF637",
            f"the schema makes no columns: {why}",
            span,
            "declares no columns",
            advice="declare the columns: fields are found by their names",
        )
        return record, ()
    columns = tuple(Column(name=name, type=kind, span=span) for name, kind in found)
    return _with(record, json.dumps(json.loads(text), separators=(", ", ": "))), columns


def _latest(
    record: RecordFormat,
    topics: tuple[str, ...],
    schemas: Schemas,
    span: Span,
    problems: Problems,
) -> str | None:
    url = _option(record, "schema.registry")
    if url is None:
        return None
    subject = _option(record, "subject") or (f"{topics[0]}-value" if len(topics) == 1 else None)
    if subject is None:
        problems.add(
            "TVF637",
            "the source declares no columns, and reads more than one topic",
            span,
            "of which schema?",
            advice="say with (subject = 'orders-value') whose schema makes the columns",
        )
        return None
    user = _option(record, "schema.registry.username")
    login = None if user is None else (user, _option(record, "schema.registry.password") or "")
    try:
        return schemas.latest(url, login, subject)
    except LookupFailedError as error:
        problems.add(
            "TVF637",
            str(error),
            span,
            "declares no columns",
            advice="declare the columns, or start the registry and compile again",
        )
        return None


def _option(record: RecordFormat, name: str) -> str | None:
    return next((value for key, value in record.options if key.lower() == name), None)


def _with(record: RecordFormat, schema: str) -> RecordFormat:
    kept = tuple(pair for pair in record.options if pair[0].lower() != "schema")
    return RecordFormat(form=record.form, encode=record.encode, options=(*kept, ("schema", schema)))
