"""The key of a row as it stands in the key of a record of Kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.cdc.reads import TIMES, read_ddl, value
from tvfc_runtime.cdc.values import MODE, Image, struct_ddl, type_of
from tvfc_runtime.rows.sql_text import text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source


def key_of(source: Source, key: str) -> dict[str, str]:
    """The columns of the key of a source, SQL, NULL where the key of a record lacks them.

    An object has them as fields, by itself or in `payload`. Where they are one, it may stand there
    as a value of JSON, or as it is, without the quotes of a text.

    Args:
        source: the source.
        key: the key of a record as text, SQL.
    """
    columns = {name: kind for name, kind in source.fields.items() if name in source.key}
    mode = None if source.record is None else source.record.options.get(MODE)
    row = struct_ddl(columns)
    fields = row.removeprefix("STRUCT<").removesuffix(">")
    read = f"from_json({key}, {text(f'STRUCT<{fields}, payload: {row}>')})"
    plain, wrapped = Image(read, columns, mode), Image(f"{read}.payload", columns, mode)
    found = {}
    for name, kind in columns.items():
        alone = "NULL"
        if len(columns) == 1:
            own = type_of(kind)
            alone = value(_alone(key, own), own, mode)
        inside = f"coalesce({wrapped.value(name)}, {plain.value(name)})"
        found[name] = f"CASE WHEN ltrim({key}) LIKE '{{%' THEN {inside} ELSE {alone} END"
    return found


def _alone(key: str, kind: T.DataType) -> str:
    """A key that is one value, as `read_ddl` has it, SQL."""
    if isinstance(kind, T.BinaryType):
        return f"try_to_binary({_unquoted(key)}, 'base64')"
    is_text = isinstance(kind, (T.StringType, T.DecimalType, *TIMES))
    return f"try_cast({_unquoted(key) if is_text else key} AS {read_ddl(kind)})"


def _unquoted(key: str) -> str:
    """A text, which may stand in the quotes of JSON."""
    inside = f"from_json(concat('[', {key}, ']'), 'ARRAY<STRING>')[0]"
    return f"IF({key} LIKE '\"%', {inside}, {key})"
