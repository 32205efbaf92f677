"""Aggregate functions: which there are, where they stand, and which of them can be kept up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from compiler.bind.names.shapes import own_parts
from compiler.diagnostics.problems import Problems
from compiler.sql.constants import number_of
from compiler.sql.signatures import signatures
from compiler.syntax import span_of

AGGREGATES: tuple[type[exp.Expression], ...] = (exp.AggFunc,)  # type: ignore[assignment]

_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.CountIf: "count_if",
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.AnyValue: "any_value",
    exp.Stddev: "stddev_samp",
    exp.StddevSamp: "stddev_samp",
    exp.StddevPop: "stddev_pop",
    exp.Variance: "var_samp",
    exp.VariancePop: "var_pop",
    exp.ArrayAgg: "collect_list",
    exp.ArrayUniqueAgg: "collect_set",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.Any: "bool_or",
    exp.ArgMax: "max_by",
    exp.ArgMin: "min_by",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
    exp.Skewness: "skewness",
    exp.Kurtosis: "kurtosis",
    exp.Corr: "corr",
    exp.CovarPop: "covar_pop",
    exp.CovarSamp: "covar_samp",
    exp.RegrCount: "regr_count",
    exp.RegrAvgx: "regr_avgx",
    exp.RegrAvgy: "regr_avgy",
    exp.RegrSxx: "regr_sxx",
    exp.RegrSyy: "regr_syy",
    exp.RegrSxy: "regr_sxy",
    exp.RegrSlope: "regr_slope",
    exp.RegrIntercept: "regr_intercept",
    exp.RegrR2: "regr_r2",
}

_NAMED_FUNCTIONS = {
    "mean": "avg",
    "std": "stddev_samp",
    "every": "bool_and",
    "some": "bool_or",
    "try_sum": "try_sum",
    "try_avg": "try_avg",
    "collect_union": "collect_union",
}

KNOWN = frozenset({*_FUNCTIONS.values(), *_NAMED_FUNCTIONS.values()})
"""The names by which jobs call those that are called with values alone; see totals/forms.py."""

OF_PAIRS: tuple[type[exp.Expr], ...] = (
    *(exp.Corr, exp.CovarPop, exp.CovarSamp, exp.RegrCount, exp.RegrAvgx, exp.RegrAvgy),
    *(exp.RegrSxx, exp.RegrSyy, exp.RegrSxy, exp.RegrSlope, exp.RegrIntercept, exp.RegrR2),
)
"""Aggregates of two values of each row."""

OF_NUMBERS = frozenset(
    {"sum", "avg", "try_sum", "try_avg", "stddev_samp", "stddev_pop", "var_samp", "var_pop"}
    | {"skewness", "kurtosis", "percentile", "percentiles", "percentile_disc"}
    | {"percentile_approx", "percentiles_approx", *(_FUNCTIONS[each] for each in OF_PAIRS)}
)
"""Functions that the runtime keeps up for numbers alone."""

OF_NO_ROWS = {
    **dict.fromkeys(("count", "count_if"), "0"),
    **dict.fromkeys(("collect_list", "collect_set", "collect_union"), "array()"),
}
"""Functions that are not NULL of no rows, and what they are."""

KEPT_UP = "COUNT, SUM, AVG, MIN, MAX, STDDEV, VARIANCE, COLLECT_LIST, COLLECT_SET, \
COLLECT_UNION, BOOL_AND, BOOL_OR, MAX_BY, MIN_BY, ANY_VALUE, COUNT_IF, MEDIAN, PERCENTILE, MODE, \
LISTAGG, BIT_AND, BIT_OR, BIT_XOR, CORR, COVAR_POP, REGR_SLOPE and their kin"


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is a call of an aggregate function."""
    if isinstance(node, exp.Anonymous):
        # sqlglot has no class for it.
        known = signatures().get(node.name.lower())
        return known is not None and known.kind == "aggregate"
    return isinstance(node, (*AGGREGATES, exp.Any)) and not _is_comparison(node)


def _is_comparison(node: exp.Expr) -> bool:
    """`= ANY (…)` is no aggregate."""
    return isinstance(node, exp.Any) and isinstance(node.parent, exp.Binary)


def own_aggregates(node: exp.Select) -> Iterator[exp.Expression]:
    """The aggregates of a SELECT itself, not those of its subqueries, windows and pivots."""
    for each in own_parts(node, *AGGREGATES, exp.Any, exp.Anonymous):
        around = each.find_ancestor(exp.Window, exp.Pivot, exp.Select)
        if is_aggregate(each) and not isinstance(around, exp.Window | exp.Pivot):
            yield each


def outside_aggregates(item: exp.Expression) -> list[exp.Column]:
    """The columns of an item that are in no aggregate."""
    wholes = {id(whole_of(each)) for each in aggregates_below(item)}
    found: list[exp.Column] = []
    stack: list[exp.Expr] = [item]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Column):
            found.append(each)
        elif id(each) not in wholes:
            stack.extend(each.iter_expressions())
    return found


def aggregates_below(node: exp.Expression) -> Iterator[exp.Expression]:
    """All aggregates in an expression."""
    for each in node.walk():
        if is_aggregate(each) and isinstance(each, exp.Expression):
            yield each


def aggregates_over(windows: Iterable[exp.Window]) -> Iterator[exp.Expression]:
    """The aggregates in window functions over groups, as in `rank() OVER (ORDER BY sum(v))`."""
    for window in windows:
        own = window.this
        while isinstance(own, _BEHIND):
            own = own.this
        for each in window.find_all(*AGGREGATES, exp.Any, exp.Anonymous):
            if each is not own and is_aggregate(each) and isinstance(each, exp.Expression):
                yield each


def refuse_nested(node: exp.Select, problems: Problems) -> None:
    """An aggregate of an aggregate of the same groups."""
    for inner in own_aggregates(node):
        outer = inner.parent
        while outer is not None and outer is not node:
            if is_aggregate(outer):
                problems.add(
                    "TVF209",
                    "an aggregate stands inside another one",
                    span_of(inner),
                    "one value a group",
                    more=[(span_of(outer), "aggregates it again")],
                    advice="aggregate in a subquery or view, and again above it",
                )
                break
            outer = outer.parent


def _has_nulls(node: exp.Expr) -> bool:
    """Whether NULLs are collected if they are asked for."""
    return isinstance(node, exp.ArrayAgg | exp.ArrayUniqueAgg)


def function_of(node: exp.Expression) -> str | None:
    """The name under which the runtime keeps an aggregate up; None: it does not."""
    if isinstance(node, exp.Anonymous):
        return _NAMED_FUNCTIONS.get(node.name.lower())
    if isinstance(node, exp.CountIf) and isinstance(node.this, exp.Distinct):
        return None
    if behind(node, exp.WithinGroup) or (behind(node, exp.RespectNulls) and _has_nulls(node)):
        return None
    if isinstance(node, exp.ArrayAgg) and isinstance(node.this, exp.Order):
        return None
    return _FUNCTIONS.get(type(node))


def compared_arguments(
    function: str, values: Sequence[exp.Expression], *, is_distinct: bool
) -> Sequence[exp.Expression]:
    """The arguments of an aggregate that the runtime compares with those of other rows."""
    if function in ("max_by", "min_by"):
        return values[1:]
    if function == "listagg" and not is_distinct:
        return values[1:] or values
    return values if is_distinct or function not in _COMPARE_NONE else ()


_COMPARE_NONE = frozenset({"count", "count_if", "collect_list", "array_agg", "any_value"})


def whole_of(node: exp.Expression) -> exp.Expression:
    """An aggregate with what stands behind its parentheses: FILTER, IGNORE NULLS, WITHIN GROUP."""
    around = node.parent
    while isinstance(around, _BEHIND) and around.this is node:
        node, around = around, around.parent
    return node


_BEHIND = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def behind(node: exp.Expression, kind: type[exp.Expression]) -> exp.Expression | None:
    """What of a kind stands behind the parentheses of an aggregate."""
    whole = whole_of(node)
    while whole is not node:
        if isinstance(whole, kind):
            return whole
        whole = whole.this
    return None


def arguments_of(node: exp.Expr) -> tuple[list[exp.Expression], bool]:
    """What an aggregate is called with, and whether with DISTINCT; COUNT(*) has nothing."""
    if isinstance(node, exp.Anonymous):
        given = list(node.expressions)
        is_distinct = bool(given) and isinstance(given[0], exp.Distinct)
        return [*given[0].expressions, *given[1:]] if is_distinct else given, is_distinct
    inner = node.this
    if isinstance(inner, exp.Star):
        return [], False
    others = [node.expression] if isinstance(node, (exp.ArgMax, exp.ArgMin, *OF_PAIRS)) else []
    if isinstance(inner, exp.Distinct):
        return [*inner.expressions, *others], True
    while isinstance(node, exp.Any) and isinstance(inner, exp.Paren):
        inner = inner.this
    # COUNT() has no argument at all; Spark is to say so.
    return [each for each in (inner, *node.expressions, *others) if each is not None], False


MOST_VALUES = 100_000
"""The most values that Spark's max_by() and min_by() give."""


def limit_of(node: exp.Expr) -> int | None:
    """How many values max_by() and min_by() give, if that is said: a whole number of SQL.

    Raises:
        ValueError: it is not between 1 and MOST_VALUES, or no constant.
    """
    count = node.args.get("count") if isinstance(node, exp.ArgMax | exp.ArgMin) else None
    if count is None:
        return None
    number = number_of(count)
    if number is None or number.value not in range(1, MOST_VALUES + 1):
        raise ValueError(count)
    return int(number.value)
