"""By which schema a record was written, and by which it is read.

schema.registry        records begin with the number of the schema that they were written by
schema                 without a registry, all records are written by it, and have no such
beginning; with one, it is the reader's: fields that the writer had not
get its defaults, and names its aliases
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tvfc_runtime.records.registry import HEADER, MAGIC, Registry, UnknownSchemaError

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat


class FormatError(Exception):
    """A job is told how records are written, and cannot read or write them so."""


def misfit(error: Exception, what: str) -> str:
    """Why a record is none of its schema, by what reading it has raised.

    Args:
        error: which says it by itself if it is ours.
        what: what records are: `Avro`.
    """
    said = str(error).strip()
    if isinstance(error, (ValueError, UnknownSchemaError)):
        return said or f"no {what} of its schema"
    return f"no {what} of its schema: {(said or type(error).__name__)[:200]}"


class Schemas:
    """The schemas of the records of a source."""

    def __init__(self, record: RecordFormat) -> None:
        self._registry = Registry(record) if record.option("schema.registry") else None
        given = record.option("schema")
        self.reader = parsed(given) if given is not None else None
        self._writers: dict[int, Any] = {}

    def writer(self, record: bytes) -> tuple[Any, int]:
        """By which schema a record was written, and where its payload begins.

        Raises:
            ValueError: it does not begin with the number of a schema.
            UnknownSchemaError: the registry has no such schema.
            RegistryError: it does not answer.
        """
        if self._registry is None:
            return self.reader, 0
        if len(record) < HEADER or record[:1] != MAGIC:
            raise ValueError("it does not begin with the number of a schema")
        number = int.from_bytes(record[1:HEADER], "big")
        if number not in self._writers:
            found = self._registry.schema(number)
            if found.get("schemaType", "AVRO") != "AVRO":
                raise ValueError(f"its schema {number} is {found['schemaType']}, not AVRO")
            self._writers[number] = _with_references(found, self._registry)
        return self._writers[number], HEADER


def parsed(text: str, named: dict[str, Any] | None = None) -> Any:
    """A schema as fastavro wants it.

    Raises:
        FormatError: fastavro is missing.
        ValueError: the text is no schema.
    """
    avro = fastavro()
    try:
        schema = json.loads(text)
        return avro.parse_schema(schema, named_schemas={} if named is None else named)
    except (ValueError, KeyError, TypeError, avro.schema.SchemaParseException) as error:
        raise ValueError(f"the schema is none of Avro: {error}") from None


def _with_references(found: Mapping[str, Any], registry: Registry) -> Any:
    """A schema that may name others of the registry."""
    named: dict[str, Any] = {}

    def load(schema: Mapping[str, Any]) -> None:
        for each in schema.get("references") or ():
            other = registry.version(each["subject"], each["version"])
            load(other)
            if each["name"] not in named:
                parsed(other["schema"], named)

    load(found)
    return parsed(found["schema"], named)


def fastavro() -> Any:
    """The library that reads and writes Avro.

    Raises:
        FormatError: it is not installed.
    """
    try:
        import fastavro as library  # noqa: PLC0415  an extra
        import fastavro.schema  # noqa: PLC0415
    except ImportError:
        raise FormatError(
            "TVF752: records of ENCODE AVRO need the package fastavro: pip install 'tvfc[avro]'"
        ) from None
    return library
