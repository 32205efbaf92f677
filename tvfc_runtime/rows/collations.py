"""Strings with a collation, which are equal, or in order, by the rules of a language.

The operators compare bytes. So they take no such strings for what they compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.errors import AnalysisException
from pyspark.sql.types import ArrayType, DataType, MapType, StringType, StructType


def refuse_collations(what: str, kinds: Mapping[str, DataType]) -> None:
    """Refuse columns that are compared and have a collation.

    Args:
        what: is to be computed of them, in the plural.
        kinds: the types by what they are called, Spark SQL.

    Raises:
        AnalysisException: there is such a column.
    """
    for name, kind in kinds.items():
        if has_collation(kind):
            message = f"{what} by {name}, which has a collation, are not supported yet"
            raise AnalysisException(f"{message}; write lower(CAST({name} AS STRING))")


def has_collation(kind: DataType) -> bool:
    """Whether values are strings with a collation, or have some in them."""
    if isinstance(kind, StringType):
        return kind != StringType()
    return any(map(has_collation, _parts(kind)))


def _parts(kind: DataType) -> Iterable[DataType]:
    match kind:
        case StructType():
            return [field.dataType for field in kind.fields]
        case ArrayType():
            return [kind.elementType]
        case MapType():
            return [kind.keyType, kind.valueType]
        case _:
            return []
