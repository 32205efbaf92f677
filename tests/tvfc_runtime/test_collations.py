"""Columns whose collation only Spark knows are refused as a job starts."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.types import (
    ArrayType,
    DataType,
    IntegerType,
    MapType,
    StringType,
    StructType,
    VarcharType,
)

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.rows.collations import has_collation, refuse_collations

LCASE = StringType("UTF8_LCASE")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (LCASE, True),
        (StringType(), False),
        (StringType("UTF8_BINARY"), False),
        (VarcharType(3), False),
        (IntegerType(), False),
        (ArrayType(LCASE), True),
        (MapType(IntegerType(), LCASE), True),
        (StructType().add("a", IntegerType()).add("b", ArrayType(LCASE)), True),
        (StructType().add("a", StringType()), False),
    ],
)
def test_has_collation(kind: DataType, *, expected: bool) -> None:
    assert has_collation(kind) is expected


def test_refused_by_name() -> None:
    with pytest.raises(AnalysisException, match="groups by name, which has a collation"):
        refuse_collations("groups", {"id": IntegerType(), "name": LCASE})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (Call(name="n", function="count", arguments=("a",)), ()),
        (Call(name="n", function="count", arguments=("a",), distinct=True), ("a",)),
        (Call(name="n", function="min", arguments=("a",)), ("a",)),
        (Call(name="n", function="max_by", arguments=("a", "b")), ("b",)),
        (Call(name="n", function="collect_list", arguments=("a",)), ()),
    ],
)
def test_what_a_call_compares(call: Call, expected: tuple[str, ...]) -> None:
    assert call.compared == expected
