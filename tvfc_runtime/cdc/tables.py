"""Of which table a record is: a topic or a folder may have the changes of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tvfc_runtime.rows.sql_text import text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

TABLE = "table.name"
"""The option of ENCODE that names the table: `orders`, `shop.orders`, `db.schema.orders`."""


def is_of_another(source: Source, place: str) -> str:
    """Whether a record is of another table than that of the source, SQL.

    Args:
        source: the source.
        place: the struct of the record with `db`, `schema` and `table`, SQL.
    """
    named = source.record.options.get(TABLE) if source.record is not None else None
    if named is None:
        return "false"
    parts = named.split(".")
    levels = [f"{place}.table", f"coalesce({place}.schema, {place}.db)", f"{place}.db"]
    same = [
        f"{level} <=> {text(part)}" for level, part in zip(levels, reversed(parts), strict=False)
    ]
    return f"({place}.table IS NOT NULL AND NOT ({' AND '.join(same)}))"
