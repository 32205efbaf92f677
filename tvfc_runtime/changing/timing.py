"""Which changes of its answer an operator tells, and from when on."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.rows.updates import TIME


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How an operator deals with time.

    Attributes:
        per_batch: whether only the answer at the end of a batch counts, at W(N); else the answer at
            every clock value at which it changes.
        waits: whether changes wait for the first clock value: where a condition on the clock
            decides over some rows and not over others, the latter alone would be half the truth.
    """

    per_batch: bool = False
    waits: bool = False

    def at(self) -> Column:
        """The clock value of an update as the operator takes it; 0: there is none."""
        none = F.lit(0).cast("bigint")
        return none if self.per_batch else F.coalesce(F.col(TIME).cast("bigint"), none)
