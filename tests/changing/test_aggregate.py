"""Aggregates over random updates against the same computed anew from the rows that are there."""

from __future__ import annotations

import math
import operator
import random
import re
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from changing.feeds import KINDS, Live, MemoryStore, Sum, Update, frozen, ordered, timed
from pyspark.sql.types import (
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tvfc_runtime.changing.calls import FUNCTIONS, Call, Plan, Planner
from tvfc_runtime.changing.groups import GroupTables
from tvfc_runtime.changing.partial import by_shard, change_of, combine, decode

SPARK: dict[str, DataType] = {
    "bigint": LongType(),
    "int": IntegerType(),
    "tinyint": ByteType(),
    "decimal": DecimalType(10, 2),
    "wide": DecimalType(30, 4),
    "double": DoubleType(),
    "float": FloatType(),
}
NUMERIC = [*SPARK]
WHOLE = ("bigint", "int", "tinyint")
SUMMED = ("sum", "avg", "stddev", "stddev_pop", "variance", "var_pop")


def result_type(function: str, kind: str) -> DataType:
    own = SPARK.get(kind)
    if isinstance(own, DecimalType) and function == "sum":
        return DecimalType(min(38, own.precision + 10), own.scale)
    if isinstance(own, DecimalType) and function == "avg":
        return DecimalType(min(38, own.precision + 4), own.scale + 4)
    return LongType()


def placed(kind: str) -> list[Call]:
    """Calls whose answer is a value by its place in the order of all, or made of all in order."""
    found = [Call(name="", function="mode", arguments=("v",))]
    found.append(Call(name="", function="mode", arguments=("v",), descending=True, filter="f"))
    if kind in NUMERIC:
        few = Call(name="", function="percentile_approx", arguments=("v",), constants=(0.4,))
        found += [few, replace(few, function="percentiles_approx", constants=(0.0, 0.6, 1.0))]
    if kind in WHOLE:
        disc = Call(name="", function="percentile_disc", arguments=("v",), constants=(0.3,))
        found += [disc, replace(disc, descending=True, distinct=True)]
    if kind == "string":
        texts = Call(name="", function="listagg", arguments=("v",), constants=(", ",))
        found += [texts, replace(texts, distinct=True, descending=True)]
    return found


def calls_on(kind: str) -> list[Call]:
    """All that can be asked of a column of a type."""
    wanted = [("count", ()), ("count", ("v",)), ("min", ("v",)), ("max", ("v",))]
    wanted += [("any_value", ("v",)), ("collect_list", ("v",)), ("collect_set", ("v",))]
    wanted += [("max_by", ("v", "w")), ("min_by", ("w", "v"))]
    if kind in NUMERIC:
        wanted += [(each, ("v",)) for each in SUMMED]
    if kind == "boolean":
        wanted += [(each, ("v",)) for each in ("bool_and", "every", "bool_or", "any", "count_if")]
        wanted += [("try_sum", ("v",)), ("try_avg", ("v",))]
    if kind in WHOLE:
        wanted += [(each, ("v",)) for each in ("bit_and", "bit_or", "bit_xor")]
    if kind == "array":
        wanted.append(("collect_union", ("v",)))
    plain = [Call(name="", function=function, arguments=columns) for function, columns in wanted]
    plain += [replace(each, name="") for each in placed(kind)]
    kept = [Call(name="", function=f, arguments=columns, filter="f") for f, columns in wanted[1::2]]
    distinct = [("count", ("v",)), ("count", ("v", "w"))]
    if kind in NUMERIC:
        distinct += [(each, ("v",)) for each in SUMMED]
    each_once = [Call(name="", function=f, arguments=c, distinct=True) for f, c in distinct]
    return [*plain, *kept, *each_once, Call(name="", function="count", filter="f")]


def planned(
    kind: str, keys: int, wanted: tuple[str, ...] | None = None
) -> tuple[Plan, Planner, list[Call]]:
    calls = [each for each in calls_on(kind) if wanted is None or each.function in wanted]
    planner = Planner(StructType([StructField("v", SPARK.get(kind, StringType()))]))
    results = tuple(planner.result(each, result_type(each.function, kind)) for each in calls)
    names = tuple(f"k{place}" for place in range(keys))
    return Plan(names, tuple(planner.sums), tuple(planner.bags), results), planner, calls


def evaluated(sql: str, row: dict[str, Any]) -> Any:
    """An input column of a row."""
    if found := re.fullmatch(r"IF\(`(\w+)`, (.*), NULL\)", sql):
        return evaluated(found[2], row) if row[found[1]] else None
    if found := re.fullmatch(r"CAST\((.*) AS DOUBLE\)", sql):
        value = evaluated(found[1], row)
        return None if value is None else float(value)
    return True if sql == "true" else row[sql.strip("`")]


def input_type(sql: str, kind: str) -> pa.DataType:
    if "true" in sql:
        return pa.bool_()
    if "DOUBLE" in sql:
        return pa.float64()
    return pa.int32() if sql.endswith("`w`, NULL)") or sql == "`w`" else KINDS[kind][0]


def record_batch(updates: list[Update], keys: list[str], planner: Planner, kind: str) -> Any:
    rows = [dict(zip((*keys, "v", "w", "f"), row, strict=True)) for row, _ in updates]
    hashes = [hash(tuple(frozen(row[key]) for key in keys)) % 7 * 2**59 for row in rows]
    columns = {"h": pa.array(hashes, pa.int64())}
    for place, key in enumerate(keys):
        columns[f"k{place}"] = pa.array([row[key] for row in rows], KINDS[key][0])
    for sql, name in planner.inputs.items():
        columns[name] = pa.array([evaluated(sql, row) for row in rows], input_type(sql, kind))
    columns["d"] = pa.array([diff for _, diff in updates], pa.int64())
    return pa.RecordBatch.from_pydict(columns)


def expected(call: Call, rows: list[dict[str, Any]], kind: str) -> Any:
    """A call over rows, in the simplest way."""
    kept = [row for row in rows if call.filter is None or row[call.filter]]
    function = call.function
    if not call.arguments:
        return len(kept)
    values = [row[call.arguments[0]] for row in kept]
    if function.endswith("_by"):
        pairs = [tuple(row[name] for name in call.arguments[::-1]) for row in kept]
        pairs = sorted((pair for pair in pairs if pair[0] is not None), key=ordered)
        return pairs[-1 if function == "max_by" else 0][1] if pairs else None
    if call.distinct:
        tuples = [tuple(row[name] for name in call.arguments) for row in kept]
        once = unlike([each for each in tuples if None not in each])
        if function == "count":
            return len(once)
        values = [value for (value,) in once]
    values = sorted((each for each in values if each is not None), key=ordered)
    if call.constants or function == "mode":
        return by_place(call, values)
    return of_values(function.removeprefix("try_"), values, kind)


def by_place(call: Call, values: list[Any]) -> Any:
    """A call of `placed` over sorted values."""
    values = values[::-1] if call.descending else values
    if not values:
        return None
    match call.function:
        case "listagg":
            return str(call.constants[0]).join(values)
        case "mode":
            often = Counter(map(frozen, values))
            return max(unlike(values), key=lambda each: often[frozen(each)])
        case _:
            places = (max(math.ceil(len(values) * float(each)) - 1, 0) for each in call.constants)
            found = [values[place] for place in places]
    if call.function == "percentile_disc":
        return float(found[0])
    return found if call.function == "percentiles_approx" else found[0]


def of_values(function: str, values: list[Any], kind: str) -> Any:
    """A function over sorted values without NULL."""
    if function in OF_ANY:
        return OF_ANY[function](values)
    if not values:
        return None
    if function in OF_SOME:
        return OF_SOME[function](values)
    if function in ("sum", "avg"):
        return total(function, values, kind)
    return spread(function, [float(each) for each in values])


def unlike(values: list[Any]) -> list[Any]:
    return list({frozen(each): each for each in reversed(values)}.values())[::-1]


OF_ANY: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "count_if": sum,
    "collect_list": list,
    "collect_set": unlike,
    "collect_union": lambda arrays: sorted({x for each in arrays for x in each if x is not None}),
}
OF_SOME: dict[str, Callable[[list[Any]], Any]] = {
    "min": lambda values: values[0],
    "any_value": lambda values: values[0],
    "max": lambda values: values[-1],
    "bool_and": all,
    "every": all,
    "bool_or": any,
    "any": any,
    "bit_and": lambda values: reduce(operator.and_, values),
    "bit_or": lambda values: reduce(operator.or_, values),
    "bit_xor": lambda values: reduce(operator.xor, values),
}


def total(function: str, values: list[Any], kind: str) -> Any:
    with localcontext() as context:
        context.prec = 76
        if isinstance(values[0], Decimal):
            found = sum(values, Decimal(0))
            if function == "sum":
                return found
            digits = KINDS[kind][0].scale + 4
            return (found / len(values)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    if isinstance(values[0], float):
        found = real_sum(values)
        return found if function == "sum" else found / len(values)
    return sum(values) if function == "sum" else float(sum(values)) / len(values)


def real_sum(values: list[float]) -> float:
    odd = {each for each in values if not math.isfinite(each)}
    if any(each != each for each in odd) or len(odd) > 1:
        return math.nan
    if odd:
        return odd.pop()
    return float(sum(map(Fraction, values), Fraction(0)))


def spread(function: str, values: list[float]) -> Any:
    sample = function in ("stddev", "variance")
    if sample and len(values) < 2:
        return None
    if not all(map(math.isfinite, values)):
        return math.nan
    exact = [Fraction(each) for each in values]
    mean = sum(exact) / len(exact)
    variance = sum((each - mean) ** 2 for each in exact) / (len(exact) - sample)
    try:
        found = float(variance)
    except OverflowError:
        found = math.inf
    return math.sqrt(found) if function.startswith("stddev") else found


def drawn(keys: list[str], kind: str) -> Callable[[random.Random], tuple[Any, ...]]:
    def draw(source: random.Random) -> tuple[Any, ...]:
        group = [source.choice([*KINDS[key][1], None]) for key in keys]
        value = source.choice([*KINDS[kind][1], None])
        return (*group, value, source.choice([1, 2, 3, None]), source.choice([True, False, None]))

    return draw


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        *((kind, []) for kind in KINDS),
        *((kind, ["double", "array"]) for kind in KINDS),
        ("int", ["string", "struct", "decimal"]),
    ],
)
def test_updates_add_up_to_what_a_fresh_aggregate_gives(kind: str, keys: list[str]) -> None:
    seed = f"{kind}{keys}"
    plan, planner, calls = planned(kind, len(keys))
    live = Live(len(seed), drawn(keys, kind))
    stores = [MemoryStore() for _ in range(2)]
    result = Sum()
    for size in (3, 40, 1, 60, 5, 30):
        steps = live.steps(size)
        rows = timed((each.at, record_batch(each.updates, keys, planner, kind)) for each in steps)
        cut = live.random.randrange(rows.num_rows)
        parts = [part for part in (rows.slice(0, cut), rows.slice(cut)) if part.num_rows]
        changes = [change_of(plan, part) for part in parts]
        if size < 40:
            changes = [combine(plan, changes)]
        for store, shard in zip(stores, range(2), strict=True):
            mine = [c for each in changes for s, c in by_shard(each, 2) if s == shard]
            if mine:
                tables = GroupTables(plan, store, most=4)
                change = combine(plan, [decode(each.encode()) for each in mine])
                for batch in tables.apply(change):
                    result.add(batch)
        for step in steps:
            assert result.rows(step.at) == aggregated(step.rows, keys, kind, calls)
    leave_nothing(live, stores, keys, kind, plan, planner)


def aggregated(rows: list[Any], keys: list[str], kind: str, calls: list[Call]) -> Counter[Any]:
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        named = dict(zip((*keys, "v", "w", "f"), row, strict=True))
        groups.setdefault(frozen(row[: len(keys)]), []).append(named)
    if not keys:
        groups.setdefault((), [])
    wanted: Counter[Any] = Counter()
    for key, found in groups.items():
        wanted[(*key, *(frozen(expected(each, found, kind)) for each in calls))] += 1
    return wanted


def leave_nothing(
    live: Live, stores: list[MemoryStore], keys: list[str], kind: str, plan: Plan, planner: Planner
) -> None:
    """When all rows have gone, so has the state, but for the group that is always there."""
    updates = [(row, -1) for row in live.rows]
    gone = record_batch(updates, keys, planner, kind)
    change = change_of(plan, timed([(live.clock + 1, gone)]))
    for shard, part in by_shard(change, 2):
        tables = GroupTables(plan, stores[shard], most=4)
        list(tables.apply(part))
        assert tables.rows == (0 if keys else 1)


@pytest.mark.parametrize("wanted", [("max",), ("min", "max_by"), ("max", "collect_list")])
@pytest.mark.parametrize("kind", ["bigint", "double", "string", "struct"])
def test_of_rows_that_never_go_a_group_keeps_the_ends(kind: str, wanted: tuple[str, ...]) -> None:
    plan, planner, calls = planned(kind, 1, wanted)
    live, store, result = Live(3, drawn(["string"], kind)), MemoryStore(), Sum()
    growing = replace(plan, grows=True)
    tables = GroupTables(growing, store, most=4)
    for size in (3, 40, 1, 60):
        live.clock += 1
        rows = [live.draw() for _ in range(size)]
        updates = record_batch([(row, 1) for row in rows], ["string"], planner, kind)
        parts = [(live.clock, updates.slice(0, size // 2)), (live.clock + 1, updates)]
        live.rows += [*rows[: size // 2], *rows]
        live.clock += 1
        change = change_of(growing, timed(part for part in parts if part[1].num_rows))
        tables = GroupTables(growing, store, most=4)
        for batch in tables.apply(change):
            result.add(batch)
        assert result.rows(live.clock) == aggregated(live.rows, ["string"], kind, calls)
    groups = len({row[0] for row in live.rows})
    if "collect_list" in wanted:
        assert tables.rows > 2 * groups
    else:
        assert tables.rows == groups
        assert sum(each.rows for each in tables._bags) <= 2 * len(plan.bags) * groups


def test_a_global_aggregate_is_there_without_rows() -> None:
    plan, planner, calls = planned("int", 0)
    nothing = timed([(0, record_batch([((None, None, None), 0)], [], planner, "int"))])
    result, store = Sum(), MemoryStore()
    for _ in range(3):
        for batch in GroupTables(plan, store).apply(change_of(plan, nothing)):
            result.add(batch)
        (row,) = result.rows().elements()
        assert row == tuple(frozen(expected(each, [], "int")) for each in calls)


def test_a_sum_that_overflows_is_an_error_only_if_it_stays_too_large() -> None:
    plan, planner, _ = planned("bigint", 0)
    store = MemoryStore()

    def apply(*updates: tuple[int, int]) -> None:
        rows: list[Update] = [((value, None, None), diff) for value, diff in updates]
        change = change_of(plan, timed([(1, record_batch(rows, [], planner, "bigint"))]))
        list(GroupTables(plan, store).apply(change))

    most = 2**63 - 1
    apply((most, 3), (-most, 2))
    with pytest.raises(ArithmeticError, match="ARITHMETIC_OVERFLOW"):
        apply((most, 1))


REAL: dict[str, Callable[[list[float], list[float]], float]] = {
    "percentile": lambda y, _: statistics.quantiles(y, n=10, method="inclusive")[2],
    "skewness": lambda y, _: len(y) ** 0.5 * moment(y, 3) / moment(y, 2) ** 1.5,
    "kurtosis": lambda y, _: len(y) * moment(y, 4) / moment(y, 2) ** 2 - 3,
    "corr": statistics.correlation,
    "covar_samp": statistics.covariance,
    "covar_pop": lambda y, x: statistics.covariance(y, x) * (len(y) - 1) / len(y),
    "regr_count": lambda y, _: len(y),
    "regr_avgx": lambda _, x: statistics.fmean(x),
    "regr_avgy": lambda y, _: statistics.fmean(y),
    "regr_sxx": lambda _, x: moment(x, 2),
    "regr_syy": lambda y, _: moment(y, 2),
    "regr_sxy": lambda y, x: statistics.covariance(y, x) * (len(y) - 1),
    "regr_slope": lambda y, x: statistics.linear_regression(x, y).slope,
    "regr_intercept": lambda y, x: statistics.linear_regression(x, y).intercept,
    "regr_r2": lambda y, x: statistics.correlation(y, x) ** 2,
}
"""Functions whose answer is rounded: the same by Python's own statistics."""


def moment(values: list[float], power: int) -> float:
    """The sum of powers of how far values are from their mean."""
    mean = statistics.fmean(values)
    return math.fsum((each - mean) ** power for each in values)


@pytest.mark.parametrize("function", REAL)
def test_of_values_as_python_has_it(function: str) -> None:
    arguments = ("v",) if function in ("percentile", "skewness", "kurtosis") else ("v", "w")
    constants = (0.3,) if function == "percentile" else ()
    call = Call(name="", function=function, arguments=arguments, constants=constants)
    kinds = [StructField("v", DoubleType()), StructField("w", IntegerType())]
    planner = Planner(StructType(kinds))
    results = (planner.result(call, DoubleType()),)
    plan = Plan((), tuple(planner.sums), tuple(planner.bags), results)
    source, store, result = random.Random(function), MemoryStore(), Sum()
    rows = [(source.choice((1.5, 2.0, -3.25, 8.0)), source.randrange(9), None) for _ in range(30)]
    for number in range(0, 30, 10):
        gone = [(row, -1) for row in rows[number - 10 : number - 5]] if number else []
        updates = [*((row, 1) for row in rows[number : number + 10]), *gone]
        batch = record_batch(updates, [], planner, "double")
        for each in GroupTables(plan, store).apply(change_of(plan, timed([(number, batch)]))):
            result.add(each)
    left = [*rows[5:10], *rows[15:]]
    ((found,),) = result.rows().elements()
    expected_value = REAL[function]([row[0] for row in left], [float(row[1]) for row in left])
    assert found == pytest.approx(expected_value)


def test_every_function_is_tested() -> None:
    tried = {each.function.upper() for kind in KINDS for each in calls_on(kind)}
    tried |= {each.upper() for each in REAL} | {"PERCENTILES"}  # of which both are made
    same = {name for name in FUNCTIONS if FUNCTIONS[name] in {FUNCTIONS[each] for each in tried}}
    assert same == set(FUNCTIONS)


def test_statistics_agree_with_python() -> None:
    values = [1.5, 2.25, -7.0, 1e6]
    assert spread("stddev", values) == pytest.approx(statistics.stdev(values))
