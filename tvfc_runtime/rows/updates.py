"""Names of columns of updates."""

from __future__ import annotations

from collections.abc import Sequence

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


def numbered(rows: DataFrame, special: Sequence[str] = OWN) -> tuple[DataFrame, list[str]]:
    """Special columns, then the others as `c0`, `c1`, …; and what these were called.

    What a query calls its columns may not survive Arrow, and several may have one name.
    """
    names = [name for name in rows.columns if name not in special]
    plain = [f"c{place}" for place in range(len(names))]
    given = iter(plain)
    renamed = rows.toDF(*(name if name in special else next(given) for name in rows.columns))
    first = [name for name in special if name in rows.columns]
    return renamed.select(*first, *plain), names


def by_name(names: Sequence[str]) -> dict[str, str]:
    """What `numbered` calls columns, by their names."""
    return {name: f"c{place}" for place, name in enumerate(names)}
