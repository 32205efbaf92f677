"""Calls of aggregate functions, and the sums and bags that they are computed from.

A *sum* is taken back by subtraction, so that it costs one value a group: counts, sums, sums of
squares. A *bag* has each value of a group with how often it is there: for MIN, MAX, DISTINCT and
whatever else must know the values. Calls share sums and bags.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import pyarrow as pa
from pyspark.sql.types import (
    DataType,
    DecimalType,
    IntegralType,
    NullType,
    NumericType,
    StringType,
    StructType,
)

from tvfc_runtime.changing.of_values import OF_DOUBLES, OF_VALUES
from tvfc_runtime.changing.ranks import MAX_LONG_DIGITS
from tvfc_runtime.rows.sql_text import quote


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of an aggregate function.

    Attributes:
        name: of the result column.
        function: as in SQL, in any case.
        arguments: columns; none for COUNT(*).
        filter: a BOOLEAN column: only rows in which it is true count.
        distinct: whether equal arguments count once.
        limit: how many values MAX_BY and MIN_BY give, as an array; None: one.
        constants: what else it is called with: of PERCENTILE and its kin, shares of all values from
            0 to 1; of LISTAGG, what stands between two values.
        descending: whether its values are in descending order.
    """

    name: str
    function: str
    arguments: tuple[str, ...] = ()
    filter: str | None = None
    distinct: bool = False
    limit: int | None = None
    constants: tuple[float | str, ...] = ()
    descending: bool = False

    def sql(self) -> str:
        """A call as Spark SQL that has the same type; without a filter."""
        texts = [quote(each) for each in self.arguments] or ["*"]
        texts += [] if self.limit is None else [str(self.limit)]
        name = self.function.upper()
        if name in OF_SHARES:
            shares = ", ".join(f"{each!r}D" for each in self.constants)
            if name == "PERCENTILE_DISC":
                return f"{name}({shares}) WITHIN GROUP (ORDER BY {texts[0]})"
            several = name.startswith("PERCENTILES")
            texts.append(f"array({shares})" if several else shares)
            name = name.replace("PERCENTILES", "PERCENTILE")
        elif name == "LISTAGG":
            texts = texts[:1]
        return f"{name}({'DISTINCT ' if self.distinct else ''}{', '.join(texts)})"

    @property
    def compared(self) -> tuple[str, ...]:
        """The arguments that are compared with those of other rows."""
        if self.function.upper() in ("MAX_BY", "MIN_BY") and not self.distinct:
            return self.arguments[1:]
        if self.function.upper() == "LISTAGG" and not self.distinct:
            return self.arguments[1:] or self.arguments
        return self.arguments if self.distinct or self.function.upper() not in _APART else ()

    def renamed(self, names: Mapping[str, str]) -> Call:
        """The same call on columns of other names."""
        filter_name = None if self.filter is None else names[self.filter]
        arguments = tuple(names[each] for each in self.arguments)
        return replace(self, arguments=arguments, filter=filter_name)


_APART = frozenset({"COUNT", "COUNT_IF", "COLLECT_LIST", "ARRAY_AGG", "ANY_VALUE"})
"""Aggregates that compare no values with each other, or do not tell which they prefer."""


@dataclass(frozen=True)
class Count:
    """How many rows there are in which all of some inputs are not NULL.

    Attributes:
        inputs: input columns, or those of the bag.
        bag: the bag whose different values are counted instead of rows.
    """

    inputs: tuple[str, ...] = ()
    bag: int | None = None


@dataclass(frozen=True)
class Whole:
    """The sum of whole numbers or decimals, in limbs."""

    input: str
    limbs: int
    bag: int | None = None


@dataclass(frozen=True)
class Real:
    """The sum of doubles or of their squares, exact, beside counts of NaN and the infinite."""

    input: str
    power: int
    bag: int | None = None


Sum = Count | Whole | Real


@dataclass(frozen=True)
class Bag:
    """Values and how often each is there, in order.

    Attributes:
        inputs: input columns; the order is by the first one first.
        needed: how many of them, from the first on, must not be NULL.
    """

    inputs: tuple[str, ...]
    needed: int


@dataclass(frozen=True)
class Result:
    """How a result is computed.

    Attributes:
        function: what it is, in the words of `FUNCTIONS`' values.
        sums: numbers of its sums.
        bag: the number of its bag.
        kind: the result's type, if it is a decimal.
        digits: how many digits more it has behind the point than its argument.
        limit: how many values it has at most, if it is a list of the best.
        distinct: whether such a list has each of its values once, and what is computed of all
            values counts them once.
        constants: as of the call.
        descending: whether values count from the greatest on.
    """

    function: str
    sums: tuple[int, ...] = ()
    bag: int | None = None
    kind: pa.DataType | None = None
    digits: int = 0
    limit: int | None = None
    distinct: bool = False
    constants: tuple[float | str, ...] = ()
    descending: bool = False


@dataclass(frozen=True)
class Plan:
    """All that the operator must know, for its workers.

    Attributes:
        keys: key columns.
        sums: the sums of a group; the first one counts its rows.
        bags: the bags of a group.
        results: the results of a group.
        grows: whether rows come and never go.
    """

    keys: tuple[str, ...]
    sums: tuple[Sum, ...]
    bags: tuple[Bag, ...]
    results: tuple[Result, ...]
    grows: bool = False


OF_SHARES = (
    "PERCENTILE",
    "PERCENTILES",
    "PERCENTILE_APPROX",
    "PERCENTILES_APPROX",
    "PERCENTILE_DISC",
)
"""Values at shares of all; PERCENTILES are those at several, as an array."""

FUNCTIONS = {
    "COUNT": "count",
    "COUNT_IF": "count_if",
    "SUM": "sum",
    "AVG": "avg",
    "MEAN": "avg",
    "MIN": "min",
    "MAX": "max",
    "ANY_VALUE": "min",
    "STDDEV": "stddev_samp",
    "STD": "stddev_samp",
    "STDDEV_SAMP": "stddev_samp",
    "STDDEV_POP": "stddev_pop",
    "VARIANCE": "var_samp",
    "VAR_SAMP": "var_samp",
    "VAR_POP": "var_pop",
    "BOOL_AND": "bool_and",
    "EVERY": "bool_and",
    "BOOL_OR": "bool_or",
    "SOME": "bool_or",
    "ANY": "bool_or",
    "COLLECT_LIST": "list",
    "ARRAY_AGG": "list",
    "COLLECT_SET": "set",
    "MAX_BY": "max_by",
    "MIN_BY": "min_by",
    "TRY_SUM": "try_sum",
    "TRY_AVG": "try_avg",
    "MODE": "mode",
    "LISTAGG": "listagg",
    **{name: name.lower() for name in OF_SHARES},
    **{name.upper(): name for name in OF_VALUES},
}
"""What the operator computes, by name in SQL.

ANY_VALUE is the least value that is not NULL, so that it is the same however the rows came.
"""

OF_NUMBERS = frozenset(
    {"sum", "avg", "try_sum", "try_avg", "stddev_samp", "stddev_pop", "var_samp", "var_pop"}
    | {*OF_DOUBLES, *(each.lower() for each in OF_SHARES)}
)
"""What is computed of numbers alone, or of text that is one."""


@dataclass
class Planner:
    """Collects the inputs, sums and bags that calls need.

    Attributes:
        types: the types of the argument columns.
        inputs: input columns by their SQL.
    """

    types: StructType
    inputs: dict[str, str] = field(default_factory=dict)
    sums: list[Sum] = field(default_factory=lambda: [Count(())])
    bags: list[Bag] = field(default_factory=list)

    def input(self, sql: str) -> str:
        """An input column."""
        return self.inputs.setdefault(sql, f"i{len(self.inputs)}")

    def sum(self, wanted: Sum) -> int:
        """The number of a sum."""
        return _number(self.sums, wanted)

    def bag(self, *inputs: str, needed: int | None = None) -> int:
        """The number of a bag."""
        return _number(self.bags, Bag(inputs, len(inputs) if needed is None else needed))

    def result(self, call: Call, kind: DataType) -> Result:
        """How a call is computed.

        Args:
            call: the call.
            kind: the type of its result.
        """
        function = FUNCTIONS[call.function.upper()]
        if function in OF_NUMBERS:
            self._check_number(call)
        argument = partial(_filtered, call)
        match function:
            case "count_if":
                return Result("count", (self._truths(call),))
            case "bool_and" | "bool_or":
                there = self.sum(Count((self.input(argument(call.arguments[0])),)))
                return Result(function, (self._truths(call), there))
            case "count":
                return Result("count", (self._count(call),))
            case "sum" | "avg" | "try_sum" | "try_avg":
                return self._sum(function, call, kind)
            case "stddev_samp" | "stddev_pop" | "var_samp" | "var_pop":
                return Result(function, self._moments(call))
            case "max_by" | "min_by":
                value, order = call.arguments
                inputs = self.input(argument(order)), self.input(quote(value))
                bag = self.bag(*inputs, needed=1)
                if call.limit is None:
                    return Result(function, bag=bag)
                best = f"{function.removesuffix('_by')}_list_by"
                return Result(best, bag=bag, limit=call.limit, distinct=call.distinct)
            case "min" | "max" | "list" | "set":
                bag = self.bag(self.input(argument(call.arguments[0])))
                return Result("set" if function == "list" and call.distinct else function, bag=bag)
            case _:
                return self._of_values(function, call)

    def _of_values(self, function: str, call: Call) -> Result:
        """What needs all values of a group, in order."""
        if function == "listagg":
            value, *order = (self.input(_filtered(call, each)) for each in call.arguments)
            # A row without a place in the order has a value.
            bag = self.bag(*order, value, needed=0) if order else self.bag(value)
        elif function in OF_DOUBLES:
            doubles = (f"CAST({quote(each)} AS DOUBLE)" for each in call.arguments)
            bag = self.bag(*(self.input(_filtered_sql(call, each)) for each in doubles))
        else:
            bag = self.bag(self.input(_filtered(call, call.arguments[0])))
        return Result(
            function,
            bag=bag,
            distinct=call.distinct,
            constants=call.constants,
            descending=call.descending,
        )

    def _check_number(self, call: Call) -> None:
        for name in call.arguments:
            own = self.types[name].dataType
            if not isinstance(own, NumericType | StringType | NullType):
                raise ValueError(f"{call.sql()} of {own.simpleString()} in a changing result")

    def _truths(self, call: Call) -> int:
        truth = f"IF({quote(call.arguments[0])}, true, NULL)"
        return self.sum(Count((self.input(_filtered_sql(call, truth)),)))

    def _count(self, call: Call) -> int:
        inputs = tuple(self.input(_filtered(call, each)) for each in call.arguments)
        if not inputs and call.filter is not None:
            inputs = (self.input(_filtered_sql(call, "true")),)
        if call.distinct:
            bag = self.bag(*inputs)
            return self.sum(Count((), bag))
        return self.sum(Count(inputs))

    def _sum(self, function: str, call: Call, kind: DataType) -> Result:
        (name,) = call.arguments
        own = self.types[name].dataType
        if not isinstance(own, IntegralType | DecimalType):
            return Result(function, self._moments(call)[:2])
        value = self.input(_filtered(call, name))
        bag = self.bag(value) if call.distinct else None
        limbs = 4 if isinstance(own, DecimalType) and own.precision > MAX_LONG_DIGITS else 2
        sums = self._counted(value, bag), self.sum(Whole(_within(value, bag), limbs, bag))
        if not isinstance(kind, DecimalType):
            return Result(function, sums)
        digits = kind.scale - (own.scale if isinstance(own, DecimalType) else 0)
        return Result(function, sums, None, pa.decimal128(kind.precision, kind.scale), digits)

    def _moments(self, call: Call) -> tuple[int, int, int]:
        value = self.input(_filtered_sql(call, f"CAST({quote(call.arguments[0])} AS DOUBLE)"))
        bag = self.bag(value) if call.distinct else None
        count = self._counted(value, bag)
        first = self.sum(Real(_within(value, bag), 1, bag))
        if FUNCTIONS[call.function.upper()].removeprefix("try_") in ("sum", "avg"):
            return count, first, first
        return count, first, self.sum(Real(_within(value, bag), 2, bag))

    def _counted(self, value: str, bag: int | None) -> int:
        return self.sum(Count((value,) if bag is None else (), bag))


def _within(value: str, bag: int | None) -> str:
    """What an input is called in its bag."""
    return value if bag is None else BAG_VALUE


BAG_VALUE = "v0"
"""The first column of a bag."""


def _number(known: list, wanted: object) -> int:
    if wanted not in known:
        known.append(wanted)
    return known.index(wanted)


def _filtered(call: Call, argument: str) -> str:
    return _filtered_sql(call, quote(argument))


def _filtered_sql(call: Call, sql: str) -> str:
    return sql if call.filter is None else f"IF({quote(call.filter)}, {sql}, NULL)"
