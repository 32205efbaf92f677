"""Hashes by which rows are told apart."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, AtomicType, DataType, StructType, VariantType


def hash_of(keys: list[Column], salt: int) -> Column:
    """A hash in which NULL counts; two of different salt together are 128 bits."""
    parts = [part for key in keys for part in (key.isNull(), key)]
    return F.xxhash64(F.lit(salt), *parts)


def hashable(schema: StructType) -> list[int]:
    """Columns whose values tell rows apart that have one time; maps have no hash."""
    return [place for place, field in enumerate(schema) if has_hash(field.dataType)]


def has_hash(kind: DataType) -> bool:
    """Whether Spark has a hash of values of a type."""
    if isinstance(kind, ArrayType):
        return has_hash(kind.elementType)
    if isinstance(kind, StructType):
        return all(has_hash(field.dataType) for field in kind)
    return isinstance(kind, AtomicType) and not isinstance(kind, VariantType)
