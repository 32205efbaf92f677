"""Whether Spark's watermark has to lag behind joins with a time range.

Behind such a join Spark can let the watermark lag by the range, so that no operator takes joined
rows for late. Without that the groups above close as soon as they may; but then Spark takes for
late what comes with the very watermark that closes it: groups, rows without a partner, rows that
have waited. So a job lags only if an operator stands above such rows.
"""

from __future__ import annotations

from compiler.plan.nodes import (
    Aggregate,
    Join,
    Over,
    Plan,
    Program,
    TemporalFilter,
    Windows,
    children,
    held_by,
    walk,
)
from compiler.plan.sessions import sessions_of


def lags(program: Program) -> bool:
    """Whether the joins of a program make Spark's watermark lag."""
    nodes = [node for output in program.outputs for node in walk(output.plan)]
    joined = any(isinstance(node, Join) and node.events for node in nodes)
    return joined and any(_stands_above_closed(node) for node in nodes)


def waits(node: Plan) -> bool:
    """Whether rows of a plan wait for the clock in an operator of the runtime."""
    return any(isinstance(each, TemporalFilter | Over) for each in walk(node))


def _stands_above_closed(node: Plan) -> bool:
    """Whether Spark's own operator for a node takes rows that come when the clock closes them."""
    match node:
        case Aggregate(input=inner, whole_sessions=whole):
            sessions = sessions_of(inner) if whole else None
            below = sessions.input if sessions else inner
            return _comes_closed(below) or _waits_there(below)
        case Windows(kind="session", input=inner):
            return _comes_closed(inner) or _waits_there(inner)
        case Join() if node.events:
            return any(_comes_closed(each) for each in children(node))
        case _:
            return False


def _waits_there(node: Plan) -> bool:
    return any(isinstance(each, TemporalFilter) for each in held_by(node))


def _comes_closed(node: Plan) -> bool:
    match node:
        case Aggregate() | Over() | Windows(kind="session"):
            return True
        case Join(kind=kind) if node.events and kind not in ("inner", "leftsemi"):
            return True
        case _:
            return any(_comes_closed(each) for each in children(node))
