"""The columns that a schema of Avro makes: types of Spark by the types and logical types of fields.

A field that may be null is a column like others. What Spark has no type for makes no columns: it
is declared, by a name, as whatever it is to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compiler.sql.names import quoted_name
from compiler.sqltypes import Kind, SqlType

_PLAIN = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "bytes": "BINARY",
    "fixed": "BINARY",
    "string": "STRING",
    "enum": "STRING",
}
_LOGICAL = {
    "date": "DATE",
    "timestamp-millis": "TIMESTAMP",
    "timestamp-micros": "TIMESTAMP",
    "local-timestamp-millis": "TIMESTAMP_NTZ",
    "local-timestamp-micros": "TIMESTAMP_NTZ",
    "uuid": "STRING",
    "time-millis": "STRING",
    "time-micros": "STRING",
}
_KINDS = {
    "BOOLEAN": Kind.BOOLEAN,
    "STRING": Kind.STRING,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP_NTZ": Kind.TIMESTAMP_NTZ,
    **dict.fromkeys(("INT", "BIGINT", "FLOAT", "DOUBLE"), Kind.NUMBER),
}
_MOST_DIGITS = 38


class NoColumnsError(Exception):
    """A schema makes no columns; the message says why."""


def columns_of(schema: Any) -> list[tuple[str, SqlType]]:
    """The columns of a schema, read from JSON.

    Raises:
        NoColumnsError: it is none of a record, or has a field that Spark has no type for.
    """
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise NoColumnsError("it is none of a record")
    named: dict[str, Any] = {}
    space = _space(schema, "")
    _remember(schema, space, named)
    return [
        (str(each["name"]), _sql_type(_ddl(each["type"], space, named, (), str(each["name"]))))
        for each in schema.get("fields", ())
    ]


def _sql_type(ddl: str) -> SqlType:
    kind = Kind.NUMBER if ddl.startswith("DECIMAL") else _KINDS.get(ddl, Kind.OTHER)
    return SqlType(kind, ddl)


def _ddl(schema: Any, space: str, named: dict[str, Any], within: tuple[str, ...], path: str) -> str:
    """A type as DDL; `within` are the records around it."""
    if isinstance(schema, list):
        others = [each for each in schema if each != "null"]
        if len(others) == 1:
            return _ddl(others[0], space, named, within, path)
        if set(map(str, others)) == {"int", "long"}:
            return "BIGINT"
        if set(map(str, others)) == {"float", "double"}:
            return "DOUBLE"
        raise NoColumnsError(f"`{path}` may be of several types")
    if isinstance(schema, str):
        if schema in _PLAIN:
            return _PLAIN[schema]
        found = named.get(schema) or named.get(f"{space}.{schema}")
        if found is None:
            raise NoColumnsError(f"`{path}` is of a type `{schema}` that it does not define")
        return _ddl(found, space, named, within, path)
    if not isinstance(schema, dict):
        raise NoColumnsError(f"`{path}` has no type")
    return _of_object(schema, space, named, within, path)


def _of_object(
    schema: dict[str, Any], space: str, named: dict[str, Any], within: tuple[str, ...], path: str
) -> str:
    kind, logical = schema.get("type"), schema.get("logicalType")
    if logical == "decimal" and kind in ("bytes", "fixed"):
        precision, scale = schema.get("precision"), schema.get("scale", 0)
        if not isinstance(precision, int) or not 0 < precision <= _MOST_DIGITS:
            raise NoColumnsError(f"`{path}` has {precision} digits, and DECIMAL {_MOST_DIGITS}")
        return f"DECIMAL({precision}, {scale})"
    if logical in _LOGICAL:
        return _LOGICAL[str(logical)]
    match kind:
        case "record":
            space = _space(schema, space)
            _remember(schema, space, named)
            name = f"{space}.{schema.get('name')}"
            if name in within:
                raise NoColumnsError(f"`{path}` holds itself")
            fields = (
                f"{quoted_name(str(each['name']))}: "
                + _ddl(each["type"], space, named, (*within, name), f"{path}.{each['name']}")
                for each in schema.get("fields", ())
            )
            return f"STRUCT<{', '.join(fields)}>"
        case "array":
            return f"ARRAY<{_ddl(schema.get('items'), space, named, within, path)}>"
        case "map":
            return f"MAP<STRING, {_ddl(schema.get('values'), space, named, within, path)}>"
        case "enum" | "fixed":
            _remember(schema, _space(schema, space), named)
            return _PLAIN[str(kind)]
        case _:
            return _ddl(kind, space, named, within, path)


def _space(schema: Mapping[str, Any], around: str) -> str:
    name = str(schema.get("name", ""))
    return name.rpartition(".")[0] if "." in name else str(schema.get("namespace", around))


def _remember(schema: dict[str, Any], space: str, named: dict[str, Any]) -> None:
    name = str(schema.get("name", "")).rpartition(".")[2]
    named[name] = named[f"{space}.{name}"] = schema
