"""Years, months, days and hours as keys of their own: together they are a time."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.closings.expressions import closing_of, truncated
from compiler.bind.names.scope import Scope
from compiler.plan.closings.closing import SESSION, Closing, local

PARTS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE")
"""In the order of their sizes."""

_PARTS: dict[type[exp.Expr], str] = {
    exp.Year: "YEAR",
    exp.Month: "MONTH",
    exp.Day: "DAY",
    exp.DayOfMonth: "DAY",
    exp.Hour: "HOUR",
    exp.Minute: "MINUTE",
}


def part_of(node: exp.Expression) -> str | None:
    """The part of a time that an expression is."""
    return _PARTS.get(type(node))


def time_in_part(node: exp.Expression) -> exp.Expression:
    """The time of which an expression is a part."""
    inner: exp.Expression = node.this
    return inner.this if isinstance(inner, exp.TsOrDsToDate) else inner


def date_of_parts(units: list[str], node: exp.Expression, scope: Scope) -> Closing | None:
    """When the clock closes the time that parts are of, as `make_timestamp(…)` of them."""
    inner = closing_of(time_in_part(node), scope)
    if inner is None or inner.window is not None:
        return None
    if units[-1] not in ("HOUR", "MINUTE"):
        return truncated(inner, units[-1], "{}")
    # The hour that comes twice when the clocks of the session go back is one group.
    return truncated(local(inner, SESSION), units[-1], f"from_utc_timestamp({{}}, {SESSION})")
