"""Hashes by which rows are told apart."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, AtomicType, DataType, StructType, VariantType


def hash_of(keys: list[tuple[Column, DataType]], salt: int) -> Column:
    """A hash of columns with their types; two of different salt together are 128 bits.

    NULL counts, and so does where an array ends, also inside of other values: Spark's own hash
    leaves NULL out and takes an array for the sequence of its elements.
    """
    parts = [part for key, kind in keys for part in _parts(key, kind, salt)]
    return F.xxhash64(F.lit(salt), *parts)


def _parts(key: Column, kind: DataType, salt: int) -> list[Column]:
    if isinstance(kind, StructType) and _has_names(kind):
        fields = [(key.getField(field.name), field.dataType) for field in kind]
        inner = [part for each, own in fields for part in _parts(each, own, salt)]
    elif isinstance(kind, ArrayType):
        element = kind.elementType
        hashes = F.transform(key, lambda each: hash_of([(each, element)], salt))
        inner = [F.size(key), hashes]
    else:
        inner = [key]
    return [key.isNull(), *inner]


def _has_names(kind: StructType) -> bool:
    """Whether each field can be told from the others by its name."""
    return len({field.name.lower() for field in kind}) == len(kind)


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
