"""Which joins are possible between streams and tables."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.problems import Problems
from compiler.plan.scope import Relation
from compiler.syntax import span_of

KEEPS_LEFT = frozenset({"left", "leftsemi", "leftanti"})


def join_kind(node: exp.Join) -> str:
    """A join's kind in the words of DataFrame.join()."""
    side, kind = (node.side or "").lower(), (node.kind or "").lower()
    if (node.args.get("method") or "").lower() == "natural":
        return "natural"
    if kind in ("semi", "anti"):
        return f"left{kind}"
    if kind == "cross":
        return "cross"
    return side or "inner"


def refuse_join(
    node: exp.Join, kind: str, left: list[Relation], right: Relation, problems: Problems
) -> None:
    """Report a join that has no meaning, or none yet, over streams."""
    left_streams, right_streams = any(each.streams for each in left), bool(right.streams)
    if any(each.is_open for each in (*left, right)):
        return
    if kind == "natural":
        message, advice = "NATURAL JOIN is not supported over streams", "write JOIN … USING (…)"
    elif kind in ("inner", "cross"):
        return
    elif left_streams and right_streams:
        message = "outer, semi and anti joins of two streams are not supported yet"
        advice = "use an inner join, or join with a table"
    elif (kind in KEEPS_LEFT and left_streams) or (kind == "right" and right_streams):
        return
    else:
        message = "this join would have to keep rows of a table that no stream has asked for"
        advice = "put the stream on the side that the join keeps: `stream LEFT JOIN table`"
    problems.add("TVF502", message, span_of(node), "not supported", advice=advice)
