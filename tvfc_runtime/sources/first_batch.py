"""A stream of one row: it gives a query a first batch, also where no input ever comes.

Spark runs no batch before there is something to read, and an answer may be there without any input.
The row lies in a file of the checkpoint folder, so that a query that is started again has read it.
"""

from __future__ import annotations

import re

from pyspark.sql import DataFrame, SparkSession

from tvfc_runtime.checkpoint.storage import exists, write_text

FIRST_BATCH = "tvfc/first_batch"
"""The folder with the row, in that of the checkpoint."""


def first_batch(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The stream: one column `value`."""
    folder = f"{checkpoint.rstrip('/')}/{FIRST_BATCH}"
    row = f"{folder}/row"
    if not exists(row):
        write_text(row, "first\n")
    return spark.readStream.text(pattern_of(folder))


def pattern_of(folder: str) -> str:
    """A path as Spark takes it, for a pattern: `?` stands for any character, as in a name."""
    return re.sub(r"[\[\]{}*\\]", "?", folder)
