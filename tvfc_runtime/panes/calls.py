"""What SQL's aggregates are made of: partials that go below, and results out of them, above."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LongType,
    StructType,
)

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.panes.partials import Partial
from tvfc_runtime.rows.sql_text import quote

MOST_DIGITS = 28
"""Spark's sums of decimals have ten digits more; of longer ones that is more than there are."""


@dataclass
class Planner:
    """Collects what calls need of the rows, and what is aggregated.

    Attributes:
        types: the columns of the rows.
        inputs: input columns by their SQL.
        partials: each once.
        kinds: the types of the partials.
    """

    types: StructType
    inputs: dict[str, str] = field(default_factory=dict)
    partials: list[Partial] = field(default_factory=list)
    kinds: list[DataType] = field(default_factory=list)

    def result(self, call: Call) -> Column:
        """What a call is, over the partials `p0`, `p1`, … of a window.

        Raises:
            ValueError: it is not known from panes.
        """
        match call.function:
            case "count":
                return self._count(call, call.arguments)
            case "count_if":
                (name,) = call.arguments
                return self._partial(
                    "count", _where(call, f"IF({quote(name)}, true, NULL)"), LongType()
                )
            case "bool_and" | "bool_or" | "min" | "max":
                return self._extreme(call)
            case "sum":
                return self._sum(call)
            case "avg":
                total = self._partial("sum", self._double(call), DoubleType())
                return F.try_divide(total, self._count(call, call.arguments))
            case other:
                raise ValueError(f"{other} of panes")

    def _kind(self, call: Call) -> DataType:
        return self.types[call.arguments[0]].dataType

    def _count(self, call: Call, names: tuple[str, ...]) -> Column:
        if not names:
            sql = None if call.filter is None else _where(call, "true")
        elif len(names) == 1:
            sql = _where(call, quote(names[0]))
        else:
            there = " AND ".join(f"{quote(name)} IS NOT NULL" for name in names)
            sql = _where(call, f"IF({there}, true, NULL)")
        return self._partial("count", sql, LongType())

    def _extreme(self, call: Call) -> Column:
        kind = self._kind(call)
        which = {"bool_and": "min", "bool_or": "max"}.get(call.function, call.function)
        if isinstance(kind, FloatType | DoubleType):
            found = self._partial(which, self._double(call), DoubleType(), is_real=True)
            return found.cast(kind)
        return self._partial(which, _where(call, quote(call.arguments[0])), kind)

    def _sum(self, call: Call) -> Column:
        kind = self._kind(call)
        if isinstance(kind, IntegralType):
            return self._partial("sum", _where(call, quote(call.arguments[0])), LongType())
        if isinstance(kind, DecimalType):
            if kind.precision > MOST_DIGITS:
                raise ValueError(
                    f"sum() of {kind.simpleString()} is not known from panes, and was not seen to "
                    "be of decimals: write CAST(… AS DECIMAL(p, s)) in it"
                )
            whole = DecimalType(38, kind.scale)
            found = self._partial("sum", _where(call, quote(call.arguments[0])), whole)
            return found.cast(DecimalType(kind.precision + 10, kind.scale))
        return self._partial("sum", self._double(call), DoubleType())

    def _double(self, call: Call) -> str:
        kind, name = self._kind(call), quote(call.arguments[0])
        if isinstance(kind, DecimalType):
            raise ValueError(
                f"{call.function}() of {kind.simpleString()} is not known from panes, and was not "
                "seen to be of decimals: write CAST(… AS DECIMAL(p, s)) or CAST(… AS DOUBLE) in it"
            )
        return _where(call, name if isinstance(kind, DoubleType) else f"CAST({name} AS DOUBLE)")

    def _partial(
        self, kind: str, sql: str | None, result: DataType, *, is_real: bool = False
    ) -> Column:
        name = None if sql is None else self.inputs.setdefault(sql, f"i{len(self.inputs)}")
        wanted = Partial(kind, name, is_real)
        if wanted not in self.partials:
            self.partials.append(wanted)
            self.kinds.append(result)
        return F.col(f"p{self.partials.index(wanted)}")


def _where(call: Call, sql: str) -> str:
    return sql if call.filter is None else f"IF({quote(call.filter)}, {sql}, NULL)"
