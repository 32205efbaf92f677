"""Whether Spark's watermark has to lag behind joins with a time range.

Behind such a join Spark can let the watermark lag by the range, so that no operator takes joined
rows for late. Without that the groups above close as soon as they may; but then Spark takes for
late what comes with the very watermark that closes it: groups, rows without a partner, rows that
have waited. So a query lags only if an operator stands above such rows.
"""

from __future__ import annotations

from compiler.plan.nodes import (
    Aggregate,
    Join,
    Output,
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


def lagging(program: Program) -> frozenset[str]:
    """The sinks whose streaming query lets Spark's watermark lag behind its joins."""
    queries: dict[str, list[Output]] = {}
    for each in program.outputs:
        queries.setdefault(each.beside or each.sink.name, []).append(each)
    lag = [outputs for outputs in queries.values() if _lag(outputs)]
    return frozenset(each.sink.name for outputs in lag for each in outputs)


def has_range(node: Plan) -> bool:
    """Whether a plan has a join with a time range."""
    return any(isinstance(each, Join) and each.events for each in walk(node))


def _lag(outputs: list[Output]) -> bool:
    nodes = [node for each in outputs for node in walk(each.plan)]
    return any(has_range(each.plan) for each in outputs) and any(map(_stands_above_closed, nodes))


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
