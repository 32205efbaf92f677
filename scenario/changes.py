"""Rows of a source of changes as its records: the text of each, and of the key beside it.

    DEBEZIUM, MAXWELL   the envelope as it is, `{op: u, before: [1, a], after: {id: 1, name: b}}`;
                        its images are rows by the columns of the source
    UPSERT              rows, and `{delete: [1]}` for a record without a value; the key by name or
                        in order
    all of these        `{record: 'text', key: 'text'}`, each of which may be NULL, as they stand

In a CHANGELOG, rows have one column more, `_diff`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from pyspark.sql import types as t

from scenario.model import Row, ScenarioError
from scenario.rows import normal_rows
from scenario.values import EPOCH

IMAGES = {"debezium": ("before", "after"), "maxwell": ("data", "old")}
"""What in an envelope is an image of a row."""

PARTIAL = "old"
"""The image that has only what has changed."""


class Record(NamedTuple):
    """A record, and the key beside it; NULL is None."""

    value: str | None
    key: str | None = None


def records_of(
    form: str, rows: Iterable[Row], schema: t.StructType, key: tuple[str, ...], where: str
) -> Iterator[Record]:
    """The records of a step."""
    for row in rows:
        if isinstance(row, dict) and row.keys() <= {"record", "key"} and "record" in row:
            yield Record(*(None if row.get(n) is None else str(row[n]) for n in ("record", "key")))
        elif form in IMAGES:
            yield Record(json.dumps(_envelope(form, row, schema, where)))
        elif isinstance(row, dict) and [*row] == ["delete"]:
            keyed = t.StructType([schema[name] for name in key])
            given = row["delete"]
            own = given if isinstance(given, list | dict) else [given]
            yield Record(None, json.dumps(_image(own, keyed, where)))
        else:
            yield Record(json.dumps(_image(row, schema, where)))


def _envelope(form: str, row: Row, schema: t.StructType, where: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        shape = "{op: c, after: [1, a]}" if form == "debezium" else "{type: insert, data: [1, a]}"
        raise ScenarioError(f"{where}: write a record of {form}, such as {shape}")
    found = dict(row)
    for name in IMAGES[form]:
        image = row.get(name)
        if isinstance(image, list | dict):
            found[name] = _image(image, schema, where)
            if name == PARTIAL and isinstance(image, dict):
                found[name] = {each: found[name][each] for each in image}
    return found


def _image(row: Row, schema: t.StructType, where: str) -> dict[str, Any]:
    (values,) = normal_rows([row], schema, where)
    pairs = zip(schema.fields, values, strict=True)
    return {field.name: _json(value, field.dataType) for field, value in pairs}


def _json(value: Any, kind: t.DataType) -> Any:
    """A normal form as a value of JSON."""
    match kind:
        case _ if value is None:
            return None
        case t.ArrayType():
            return [_json(item, kind.elementType) for item in value]
        case t.MapType():
            return {str(key): _json(item, kind.valueType) for key, item in value}
        case t.StructType():
            pairs = zip(kind.fields, value, strict=True)
            return {field.name: _json(item, field.dataType) for field, item in pairs}
        case t.TimestampType():
            return (EPOCH + timedelta(microseconds=value)).isoformat() + "Z"
        case t.TimestampNTZType():
            return (EPOCH + timedelta(microseconds=value)).isoformat()
        case t.DateType():
            return (EPOCH + timedelta(days=value)).date().isoformat()
        case t.DecimalType():
            return str(value)
        case _:
            return value
