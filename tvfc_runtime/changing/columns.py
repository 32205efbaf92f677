"""Names of columns of updates."""

from __future__ import annotations

from pyspark.sql import DataFrame

TIME = "__time"
"""The clock value of an update, BIGINT, milliseconds since the epoch."""

DIFF = "__diff"
"""How many rows more or less there are, INT."""

LEG = "__leg"
"""Which of several relations an update belongs to, INT."""

OWN = (TIME, DIFF, LEG)


def payload_of(updates: DataFrame) -> list[str]:
    """The columns of the rows themselves."""
    return [name for name in updates.columns if name not in OWN]


def numbered(updates: DataFrame) -> tuple[DataFrame, dict[str, str]]:
    """Updates with plain names, `c0`, `c1`, …, and which column is called what now.

    What a query calls its columns may not survive Arrow, and several may have one name.
    """
    places = iter(f"c{place}" for place in range(len(updates.columns)))
    names = [name if name in OWN else next(places) for name in updates.columns]
    return updates.toDF(*names), dict(zip(updates.columns, names, strict=True))
