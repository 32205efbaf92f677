"""Aggregates that are called with more than values: shares of all, an order, what stands between.

percentile(v, 0.9)                                  at a share of all values
percentile(v, array(0.1, 0.9))                      at several, as an array
percentile_cont(0.9) WITHIN GROUP (ORDER BY v DESC)  the same from the greatest on
listagg(name, ', ') WITHIN GROUP (ORDER BY id)      texts in an order
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.groups.aggregates import behind
from compiler.diagnostics.problems import Problems
from compiler.sql.constants import number_of
from compiler.syntax import span_of
from compiler.syntax.nodes import WRITTEN


@dataclass(frozen=True, slots=True)
class Form:
    """How an aggregate is called.

    Attributes:
        function: the name under which the runtime knows it.
        values: what it is called with for each row.
        distinct: whether equal values count once.
        constants: what else it is called with.
        descending: whether its values are in descending order.
    """

    function: str
    values: tuple[exp.Expression, ...]
    distinct: bool = False
    constants: tuple[float | str, ...] = ()
    descending: bool = False


def form_of(node: exp.Expression, problems: Problems) -> Form | None:
    """How such an aggregate is called; None: it is none of these, or not in a way that is known.

    Args:
        node: the call.
        problems: takes faults of its constants.
    """
    match node:
        case exp.Median():
            return _of(node, "percentile", (0.5,))
        case exp.ApproxQuantile():
            # The answer is exact, whatever accuracy is asked for.
            return _at(node, "percentile{}_approx", node.args["quantile"], problems)
        case exp.Quantile() if _arguments(node) == 2:
            return _at(node, "percentile{}", node.args["quantile"], problems)
        case exp.PercentileCont():
            return _within(_at(node, "percentile{}", node.this, problems), node)
        case exp.PercentileDisc():
            return _within(_at(node, "percentile_disc", node.this, problems), node)
        case exp.Mode():
            order = behind(node, exp.WithinGroup)
            return _within(Form("mode", ()), node) if order else _of(node, "mode")
        case exp.GroupConcat():
            return _listagg(node)
        case exp.ApproxDistinct():
            # So is this one: of the values that are kept up, the number is known.
            return replace(_of(node, "count"), distinct=True)
        case _:
            return None


def _arguments(node: exp.Expression) -> int:
    written = node.meta.get(WRITTEN)
    return written.arguments if written is not None else len(list(node.iter_expressions()))


def _of(node: exp.Expression, function: str, constants: tuple[float, ...] = ()) -> Form:
    """A call of one value, perhaps DISTINCT."""
    inner = node.this
    if isinstance(inner, exp.Distinct):
        return Form(function, tuple(inner.expressions), distinct=True, constants=constants)
    return Form(function, (inner,), constants=constants)


def _at(
    node: exp.Expression, function: str, shares: exp.Expression, problems: Problems
) -> Form | None:
    """A call with shares of all values; the name of one with several ends in S."""
    several = isinstance(shares, exp.Array)
    found = [number_of(each) for each in (shares.expressions if several else [shares])]
    values = [float(each.value) for each in found if each is not None]
    if len(values) < len(found) or not values or not all(0 <= each <= 1 for each in values):
        problems.add(
            "TVF211",
            "a share of all values is a constant from 0 to 1",
            span_of(shares),
            "which share?",
            advice="write a number, `percentile(x, 0.9)`, or several, `array(0.5, 0.9)`",
        )
        values = [0.5]
    if several and "{}" not in function:
        return None
    return _of(node, function.format("s" if several else ""), tuple(values))


def _within(form: Form | None, node: exp.Expression) -> Form | None:
    """The same of what WITHIN GROUP orders by."""
    group = behind(node, exp.WithinGroup)
    order = group.expression if group is not None else None
    if form is None or not isinstance(order, exp.Order) or len(order.expressions) != 1:
        return None
    (key,) = order.expressions
    return replace(form, values=(key.this,), descending=bool(key.args.get("desc")))


def _listagg(node: exp.GroupConcat) -> Form | None:
    """Texts in the order of one key, or in their own, which is the same however the rows came."""
    separator = node.args.get("separator")
    if separator is not None and not (isinstance(separator, exp.Literal) and separator.is_string):
        return None
    text = "" if separator is None else str(separator.this)
    inner, key = node.this, None
    if isinstance(inner, exp.Order):
        if len(inner.expressions) != 1:
            return None
        (key,), inner = inner.expressions, inner.this
    form = replace(_of(exp.GroupConcat(this=inner), "listagg"), constants=(text,))
    if key is None:
        return form
    descending = bool(key.args.get("desc"))
    if bool(key.args.get("nulls_first")) == descending:
        return None
    own = key.this == form.values[0]
    if form.distinct and not own:
        return None
    values = form.values if own else (*form.values, key.this)
    return replace(form, values=values, descending=descending)
