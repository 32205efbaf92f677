"""The clock as a column: a scalar subquery that Spark evaluates while it plans a batch.

Its one row is local to the driver, where the optimizer computes it, anew for each batch. A reader
of its own would be a Spark job in every batch, a tenth of the time of a short one.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import Column, SparkSession

from tvfc_runtime.clock.of_batch import watermark_ms


def clock_column(spark: SparkSession, checkpoint: str) -> Column:
    """W(N) in milliseconds since the epoch, BIGINT; NULL while there is none.

    The value lies in a struct, since a bare one would stand in the code that Spark generates, so
    that every batch compiled its own; a struct is passed to the same code.
    """
    context: Any = spark.sparkContext
    ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]  # noqa: SLF001
    name = f"tvfc_clock_{next(_NUMBERS)}"
    text = context._jvm.org.apache.spark.sql.types.DataTypes.StringType  # noqa: SLF001
    spark._jsparkSession.udf().register(name, Clock(checkpoint), text)  # noqa: SLF001
    clock = f"named_struct('w', CAST({name}() AS BIGINT))"
    return spark.sql(f"SELECT {clock} AS clock FROM VALUES (1) AS one(n)").scalar().getField("w")


class Clock:
    """A function for the JVM, which calls it as it does those of foreachBatch."""

    def __init__(self, checkpoint: str) -> None:
        self._checkpoint = checkpoint

    def call(self) -> str | None:
        """The watermark; as text, since Py4J would hand on a small number as an INT."""
        now = watermark_ms(self._checkpoint)
        return None if now is None else str(now)

    class Java:
        """What it is to the JVM."""

        implements = ("org.apache.spark.sql.api.java.UDF0",)


_NUMBERS = count()
