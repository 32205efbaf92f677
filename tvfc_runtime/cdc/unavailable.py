"""What Debezium writes for a large value of Postgres that an update has not touched.

It is the same text in all places, in the form that a value of the type has: the text, its bytes,
an ARRAY of the text or of its bytes as numbers, a MAP from the text to itself.
"""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.cdc.reads import TIMES
from tvfc_runtime.rows.sql_text import quote, text

PLACEHOLDER = "unavailable.value.placeholder"
"""The option of ENCODE that says what Debezium has been told to write, and its own property."""

USUAL = "__debezium_unavailable_value"
"""What it writes unless it is told otherwise."""


def is_unavailable(read: str, kind: T.DataType, placeholder: str, depth: int = 0) -> str | None:
    """Whether the database has not logged a value, or some of it, SQL.

    Args:
        read: what was read of it by `read_ddl`, SQL.
        kind: its type.
        placeholder: what stands for a value.
        depth: in how many ARRAYs and MAPs it is.

    Returns:
        A condition, or None if a value of the type is never such.
    """
    raw, each = placeholder.encode(), f"u{depth}"
    match kind:
        case T.StringType() | T.DateType() | T.TimestampType() | T.TimestampNTZType():
            return f"{read} IN ({', '.join(text(form) for form in _texts(placeholder))})"
        case T.BinaryType():
            return f"{read} = X'{raw.hex()}'"
        case T.VariantType():
            return f"try_variant_get({read}, '$', 'string') = {text(placeholder)}"
        case T.StructType(fields=fields):
            inner = [
                is_unavailable(f"{read}.{quote(f.name)}", f.dataType, placeholder, depth)
                for f in fields
            ]
            return _any(inner)
        case T.ArrayType(elementType=element):
            found = is_unavailable(each, element, placeholder, depth + 1)
            one = None if found is None else f"exists({read}, {each} -> {found})"
            return _any([one, _has_bytes(read, element, raw)])
        case T.MapType(keyType=key, valueType=inside):
            keys, values = (
                is_unavailable(each, side, placeholder, depth + 1) for side in (key, inside)
            )
            return _any(
                [
                    None if keys is None else f"exists(map_keys({read}), {each} -> {keys})",
                    None if values is None else f"exists(map_values({read}), {each} -> {values})",
                ]
            )
        case _:
            return None


def _texts(placeholder: str) -> list[str]:
    """The placeholder, and its bytes as Debezium can be told to write them."""
    raw = placeholder.encode()
    forms = (placeholder, b64encode(raw).decode(), urlsafe_b64encode(raw).decode(), raw.hex())
    return [*dict.fromkeys(forms)]


def _has_bytes(read: str, element: T.DataType, raw: bytes) -> str | None:
    """Whether an ARRAY of numbers, or of times as numbers, is the bytes of the placeholder."""
    if not isinstance(element, (T.NumericType, *TIMES)):
        return None
    # Bytes of Java have a sign.
    numbers = ", ".join(f"{byte - 256 if byte > 127 else byte}D" for byte in raw)
    return f"transform({read}, b -> try_cast(b AS DOUBLE)) = array({numbers})"


def _any(conditions: list[str | None]) -> str | None:
    found = [f"coalesce({each}, false)" for each in conditions if each is not None]
    return f"({' OR '.join(found)})" if found else None
