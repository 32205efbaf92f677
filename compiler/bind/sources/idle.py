"""`IDLE AFTER interval`: how long a source is silent before the wall clock moves its watermark."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.sql.lengths import length_of
from compiler.syntax import span_of


def idle_after(node: exp.Expression, problems: Problems) -> timedelta | None:
    """The length of an interval; one that is not fixed, or below a second, is reported."""
    length = length_of(node)
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
