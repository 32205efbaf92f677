"""Rows as records of Kafka, on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tvfc_runtime import Output
from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sinks.kafka_records import net_records, one_row_a_key, records_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def output(*key: str, **options: str) -> Output:
    return Output(name="out", build=lambda _: None, format="kafka", options=options, key=key)  # type: ignore[arg-type,return-value]


def test_a_row_is_a_value(spark: SparkSession) -> None:
    rows = spark.sql(
        "SELECT 1 AS id, CAST(NULL AS INT) AS n, TIMESTAMP '2024-01-01 00:00:00Z' AS t"
    )
    (record,) = records_of(rows, output()).collect()
    assert record.asDict() == {"value": b'{"id":1,"n":null,"t":"2024-01-01T00:00:00.000000Z"}'}
    (record,) = records_of(rows, output(key="N, id")).collect()
    assert record.key == b'{"N":null,"id":1}'
    with pytest.raises(SinkError, match="TVF707: sink out: the rows have no column day"):
        records_of(rows, output(key="day"))


def test_records_stay_as_they_are(spark: SparkSession) -> None:
    own = spark.sql("SELECT 'k' AS key, 'v' AS Value")
    assert records_of(own, output()) is own
    with pytest.raises(SinkError, match=r"TVF707: .* value .* string or binary, and this one int"):
        records_of(spark.sql("SELECT 1 AS value"), output())
    # With a column more it is a row like others, as it is where a key is named.
    (record,) = records_of(spark.sql("SELECT 1 AS id, 2.5 AS value"), output()).collect()
    assert record.value == b'{"id":1,"value":2.5}'
    (record,) = records_of(own, output(key="key")).collect()
    assert record.asDict() == {"key": b'{"key":"k"}', "value": b'{"key":"k","Value":"v"}'}


def test_two_columns_of_one_name(spark: SparkSession) -> None:
    (record,) = records_of(spark.sql("SELECT 1 AS a, 2 AS A"), output()).collect()
    assert record.value == b'{"a":1,"A":2}'


def test_changes_are_net_by_key(spark: SparkSession) -> None:
    rows = spark.sql(
        """SELECT *, TIMESTAMP '2024-01-01 00:00:00Z' AS _time, diff AS _diff FROM VALUES
        ('comes', 1, 1), ('goes', 1, -1), ('changes', 1, -1), ('changes', 2, 1),
        ('stays', 1, -1), ('stays', 1, 1), ('flickers', 1, 1), ('flickers', 1, -1),
        ('goes for two', 1, -1), ('goes for two', 2, -1)
        AS t(k, v, diff)"""
    ).drop("diff")
    changes = records_of(rows, output("k"))
    assert changes.columns == ["key", "value", "_diff"]
    held = {row.key.decode(): row.value for row in one_row_a_key(net_records(changes)).collect()}
    assert held == {
        '{"k":"comes"}': b'{"k":"comes","v":1}',
        '{"k":"goes"}': None,
        '{"k":"changes"}': b'{"k":"changes","v":2}',
        '{"k":"goes for two"}': None,
    }


@pytest.mark.parametrize("second", [1, 2])
def test_two_rows_of_one_key_are_seen(spark: SparkSession, second: int) -> None:
    rows = spark.sql(
        "SELECT k, v, TIMESTAMP '2024-01-01 00:00:00Z' AS _time, 1 AS _diff FROM VALUES "
        f"('a', 1), ('a', {second}) AS t(k, v)"
    )
    net = net_records(records_of(rows, output("k")))
    assert [row.copies for row in net.collect()] == [2]
    with pytest.raises(Exception, match="TVF706"):
        one_row_a_key(net).collect()
