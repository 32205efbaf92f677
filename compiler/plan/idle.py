"""`IDLE AFTER interval`: how long a source is silent before the wall clock moves its watermark."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from compiler.plan.problems import Problems
from compiler.syntax import span_of

_MILLISECONDS = {
    "MILLISECOND": 1,
    "SECOND": 1_000,
    "MINUTE": 60_000,
    "HOUR": 3_600_000,
    "DAY": 86_400_000,
    "WEEK": 604_800_000,
}


def idle_after(node: exp.Expression, problems: Problems) -> timedelta | None:
    """The length of an interval; one that is none, or below a second, is reported."""
    length = _length(node)
    if length is not None and length >= timedelta(seconds=1):
        return length
    problems.add(
        "TVF507",
        "IDLE AFTER takes a fixed interval of a second or more",
        span_of(node),
        "too short" if length is not None else "not a fixed interval",
        advice="write such as `IDLE AFTER INTERVAL 30 SECONDS`, in weeks, days, hours, minutes or "
        "seconds",
    )
    return None


def _length(node: exp.Expression) -> timedelta | None:
    if isinstance(node, exp.Paren):
        return _length(node.this)
    if isinstance(node, exp.Add):
        left, right = _length(node.this), _length(node.expression)
        return None if left is None or right is None else left + right
    if not isinstance(node, exp.Interval) or not isinstance(node.unit, exp.Var):
        return None
    scale = _MILLISECONDS.get(node.unit.name.upper().removesuffix("S"))
    try:
        amount = Decimal(node.this.name)
    except InvalidOperation:
        return None
    return None if scale is None else timedelta(milliseconds=round(amount * scale))
