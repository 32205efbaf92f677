"""Sessions as a job asks for them: by the operator of the runtime, or by Spark's.

What is compared has to be of a type that the operator compares as Spark does, which is known when
the job starts: by the types of its sources, the same at each start.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    DataType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tvfc_runtime.changing.aggregate import result_types
from tvfc_runtime.changing.calls import Call
from tvfc_runtime.queue.released import is_flat
from tvfc_runtime.rows.collations import has_collation
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.sessions.operator import BOUNDS, END, START, kept_sessions
from tvfc_runtime.windows import (
    ALL,
    SESSION_TIME,
    end_of_row,
    in_sessions,
    session_bounds,
    shorter,
)


@dataclass(frozen=True)
class Wanted:
    """Sessions; see `Job.sessions` for the fields."""

    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    time: str
    gap: timedelta | str
    later: timedelta

    def is_kept(self, rows: DataFrame) -> bool:
        """Whether the operator of the runtime knows the types of what it compares and gives."""
        names = {name.lower() for call in self.calls for name in call.arguments}
        names |= {name.lower() for name in self.keys}
        used = StructType([each for each in rows.schema if each.name.lower() in names])
        return is_flat(used) and not any(has_collation(each.dataType) for each in used)

    def kept(self, rows: DataFrame, shards: int, observed_as: str) -> DataFrame:
        """Sessions by the operator of the runtime."""
        time = quote(self.time)
        found = kept_sessions(
            rows,
            self.keys,
            self.calls,
            result_types(rows, self.keys, self.calls),
            start=F.unix_micros(F.col(time).cast("timestamp")),
            end=end_of_row(rows, time, self._gap),
            later=self.later,
            shards=shards,
            observed_as=observed_as,
        )
        bounds = {name: F.col(name).cast(self._kind(rows)) for name in BOUNDS}
        plain = found.withColumns(bounds)
        return plain.toDF(*self.keys, *plain.columns[len(self.keys) :])

    def in_state(self, rows: DataFrame) -> list[StructField]:
        """The columns of a session in state that are told, as the operator calls them."""
        kinds = [each.dataType for each in rows.select(*map(quote, self.keys)).schema]
        own = [StructField(f"k{place}", kind) for place, kind in enumerate(kinds)]
        return own + [StructField(name, TimestampType()) for name in (START, END)]

    def by_spark(self, rows: DataFrame) -> DataFrame:
        """Sessions by Spark's own session_window, whose gap is a microsecond less."""
        members = in_sessions(rows, quote(self.time), self.later, self._gap)
        window = F.session_window(SESSION_TIME, shorter(self.gap)).alias("session_window")
        keys = [F.col(quote(key)) for key in self.keys] or [F.col(ALL)]
        calls = [F.expr(_filtered(call)) for call in self.calls]
        found = members.groupBy(*keys, window).agg(*calls, F.count("*"))
        plain = [f"k{place}" for place in range(len(keys))]
        results = [f"r{place}" for place in range(len(calls))]
        named = found.toDF(*plain, "session_window", *results, "rows")
        bounds = session_bounds(rows, self.later, self._kind(rows)).values()
        told = named.select(*plain[: len(self.keys)], *map(F.expr, bounds), *results)
        return told.toDF(*self.keys, *BOUNDS, *(call.name for call in self.calls))

    @property
    def _gap(self) -> timedelta | str:
        """The gap, that of a row in SQL."""
        return quote(self.gap) if isinstance(self.gap, str) else self.gap

    def _kind(self, rows: DataFrame) -> str:
        """The type of the bounds: that of the time."""
        is_ntz = isinstance(_type(rows, self.time), TimestampNTZType)
        return "TIMESTAMP_NTZ" if is_ntz else "TIMESTAMP"


def _type(rows: DataFrame, name: str) -> DataType:
    return rows.select(quote(name)).schema[0].dataType


def _filtered(call: Call) -> str:
    """A call as Spark SQL, with its filter."""
    return call.sql() + (f" FILTER (WHERE {quote(call.filter)})" if call.filter else "")
