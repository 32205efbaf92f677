"""Values and rows as JSON: NULLs are written, and times with all their digits."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

TIMES = {
    # Spark's own format stops at milliseconds.
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
OPTIONS = {"ignoreNullFields": "false", **TIMES}


def json_text(value: Column) -> Column:
    """A struct, array or map as JSON."""
    return F.to_json(value, OPTIONS)
