"""Changes in Avro as texts of JSON, which are then read like those that come as JSON.

What Avro knows of a value stays with it: decimals are texts of all their digits, bytes base64, and
a number that its schema calls a time, as Debezium's does by `connect.name`, is a text of that time.
So it need not be said what a number means, as with JSON.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf

from tvfc_runtime.records.avro_read import AvroDecoder
from tvfc_runtime.records.registry import HEADER, MAGIC, RegistryError
from tvfc_runtime.records.schemas import misfit

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat

UNDECODED = "__cdc_undecoded"
"""Why a record is none of Avro; NULL: it is one."""

_EXACT = Context(prec=10_000)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES = {
    "io.debezium.time.Timestamp": 1_000_000,
    "io.debezium.time.MicroTimestamp": 1_000,
    "io.debezium.time.NanoTimestamp": 1,
}
"""Nanoseconds in what a number counts, by the name that its schema has for it."""

_DAYS = "io.debezium.time.Date"
_OF_ANY_SCALE = "io.debezium.data.VariableScaleDecimal"
_TEXT = "STRUCT<text: STRING, fault: STRING>"


def texts_of(records: DataFrame, record: RecordFormat) -> DataFrame:
    """Records whose `value` and `key` are texts, and `__cdc_undecoded`.

    Args:
        records: with `value` and `key`, BINARY.
        record: says where the schemas are.
    """
    AvroDecoder(record)  # What is missing is missed at the start.
    value, key = (_by_arrow(texts_by(record, framed=framed)) for framed in (True, False))
    read = records.withColumn("__cdc_value", value("value")).withColumn("__cdc_key", key("key"))
    undecoded = F.expr("coalesce(__cdc_value.fault, concat('its key: ', __cdc_key.fault))").alias(
        UNDECODED
    )
    kept = [name for name in records.columns if name not in ("value", "key")]
    texts = (F.col(f"__cdc_{name}.text").alias(name) for name in ("value", "key"))
    return read.select(*texts, undecoded, *kept)


def _by_arrow(read: Callable[[pa.Array], pa.Array]) -> Any:
    return arrow_udf(read, _TEXT).asNondeterministic()  # type: ignore[call-overload]


def texts_by(record: RecordFormat, *, framed: bool) -> Callable[[pa.Array], pa.Array]:
    """What makes texts of a column of records, as `text` and `fault`.

    Args:
        record: says where the schemas are.
        framed: whether each record begins with the number of a schema; else one that does not is
            a text by itself, as keys may be.
    """
    result = pa.struct([("text", pa.string()), ("fault", pa.string())])

    def text(data: bytes | None) -> dict[str, str | None]:
        if data is None:
            return {"text": None, "fault": None}
        if not framed and (data[:1] != MAGIC or len(data) <= HEADER):
            return {"text": data.decode("utf-8", "replace"), "fault": None}
        shown = f"X'{data.hex().upper()}'"
        try:
            value = plain(*_decoder_of(record).read(data))
            return {"text": json.dumps(value, ensure_ascii=False), "fault": None}
        except RegistryError:
            raise
        except Exception as error:
            return {"text": shown, "fault": misfit(error, "Avro")}

    def read(values: pa.Array) -> pa.Array:
        return pa.array([text(each) for each in values.to_pylist()], result)

    return read


_DECODERS: dict[str, AvroDecoder] = {}


def _decoder_of(record: RecordFormat) -> AvroDecoder:
    """The decoder of a process: schemas are fetched once in it, and not in each batch."""
    key = repr(record)
    if key not in _DECODERS:
        _DECODERS[key] = AvroDecoder(record)
    return _DECODERS[key]


def plain(value: Any, schema: Any) -> Any:
    """A value as JSON has it.

    Args:
        value: as fastavro reads it.
        schema: what it was written by, as fastavro parses it.

    Raises:
        ValueError: a time is in none of the years 1 to 9999.
    """
    names = dict(schema.get("__named_schemas", {})) if isinstance(schema, dict) else {}
    return _plain(value, schema, names)


def _plain(value: Any, schema: Any, names: dict[str, Any]) -> Any:
    if value is None:
        return None
    if isinstance(schema, list):
        of_values = [each for each in schema if each != "null"]
        # Which of several it was is not told; what its schema calls it is of no use then.
        return _plain(value, of_values[0] if len(of_values) == 1 else None, names)
    if isinstance(schema, str):
        schema = names.get(schema)
    told: Mapping[str, Any] = schema if isinstance(schema, dict) else {}
    if "name" in told:
        names[told["name"]] = told
    called = told.get("connect.name")
    if isinstance(value, dict):
        if called == _OF_ANY_SCALE:
            unscaled = int.from_bytes(value["value"], "big", signed=True)
            return _digits(Decimal(unscaled).scaleb(-value["scale"], _EXACT))
        types = {each["name"]: each["type"] for each in told.get("fields", ())}
        return {
            name: _plain(each, types.get(name, told.get("values")), names)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [_plain(each, told.get("items"), names) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return _number(value, called)
    return _text(value)


def _number(value: int, called: str | None) -> Any:
    if called == _DAYS:
        return _moment(value * 86_400_000_000_000)[:10]
    return _moment(value * _TIMES[called]) if called in _TIMES else value


def _moment(nanos: int) -> str:
    """A time as ISO 8601 has it, with as many digits as it needs beyond microseconds."""
    micros, rest = divmod(nanos, 1_000)
    try:
        at = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise ValueError("it has a time in none of the years 1 to 9999") from None
    digits = f"{rest:03}" if rest else ""
    return f"{at:%Y-%m-%dT%H:%M:%S.%f}{digits}Z".rjust(27 + len(digits), "0")


def _text(value: Any) -> Any:
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case Decimal():
            return _digits(value)
        case datetime(tzinfo=None):
            return value.isoformat()
        case datetime():
            return _moment(round((value - _EPOCH) / timedelta(microseconds=1)) * 1_000)
        case date() | time() | UUID():
            return str(value)
        case _:
            return value


def _digits(value: Decimal) -> str:
    return f"{value:f}"
