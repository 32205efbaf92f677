"""Which rows of a plan are sessions."""

from __future__ import annotations

from compiler.plan.nodes import Alias, Plan, Windows
from compiler.sql.names import own_name

BOUNDS = frozenset({"window_start", "window_end"})


def sessions_of(plan: Plan) -> Windows | None:
    """The sessions that a plan consists of."""
    inner = plan.input if isinstance(plan, Alias) else plan
    return inner if isinstance(inner, Windows) and inner.kind == "session" else None


def is_bound(name: str) -> bool:
    """Whether a column, qualified or not, is the start or the end of a window."""
    return own_name(name).lower() in BOUNDS
