"""`JOIN b FOR SYSTEM_TIME AS OF a.ts`: the version of b at each row's own time, as an ASOF JOIN.

Before   a LEFT JOIN b FOR SYSTEM_TIME AS OF a.ts ON a.k = b.k
After    a ASOF LEFT JOIN b MATCH_CONDITION (a.ts >= b.ts) ON a.k = b.k, b.ts being watermarked
"""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.joins.kinds import join_kind
from compiler.bind.joins.order import is_natural
from compiler.bind.names.refusals import refuse_changes
from compiler.bind.names.scope import Relation
from compiler.diagnostics.problems import Problems
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime


def is_as_of_rows(node: exp.Join) -> bool:
    """Whether a join asks for the version of a relation as of a row's own time, or of now."""
    version = node.this.args.get("version")
    if version is None or version.args.get("this") not in ("TIMESTAMP", "SYSTEM_TIME"):
        return False
    moment = version.expression
    return bool(moment.find(exp.Column)) or isinstance(moment, ProcTime)


def as_of_rows(node: exp.Join, right: Relation, problems: Problems) -> exp.Join | None:
    """`JOIN b FOR SYSTEM_TIME AS OF a.ts` as the ASOF JOIN that it is; None: it is refused.

    b has a version from each of its rows on. As of PROC_TIME(), a table is what it is now.
    """
    version = node.this.args["version"]
    moment = version.expression
    kind = join_kind(node)
    if kind not in ("inner", "left") or is_natural(node):
        problems.add(
            "TVF502",
            "a version of each row's time goes with JOIN and LEFT JOIN",
            span_of(version),
            "asks for a version",
            advice="write `a LEFT JOIN b FOR SYSTEM_TIME AS OF a.ts ON a.k = b.k`",
        )
        return None
    if right.is_static and isinstance(moment, ProcTime):
        return node
    times = [each for each in right.columns if each.closing is not None and each.closing.is_event]
    if right.is_static or not moment.find(exp.Column) or len(times) != 1:
        _refuse_versions(version, right, problems)
        return None
    found = node.copy()
    found.parent = node.parent
    time = exp.column(
        exp.to_identifier(times[0].name, quoted=True), table=exp.to_identifier(right.alias)
    )
    condition = exp.GTE(this=moment.copy(), expression=time)
    for each in (condition, *time.walk()):
        each.meta["span"] = span_of(version)
    found.set("method", "ASOF")
    found.set("match_condition", condition)
    return found


def _refuse_versions(version: exp.Version, right: Relation, problems: Problems) -> None:
    if right.is_open or problems.has_names_at_fault:
        return
    name = right.alias or "b"
    if refuse_changes(right, "FOR SYSTEM_TIME", span_of(version), problems):
        return
    if right.is_static:
        message = f"`{name}` is a table, which has no versions"
        advice = "declare it with CREATE SOURCE and a watermark, or join it as it is, by JOIN … ON"
    elif not version.expression.find(exp.Column):
        message = f"the version of `{name}` depends on when its rows arrive"
        advice = "name a time of the other side: `FOR SYSTEM_TIME AS OF a.ts`"
    else:
        message = f"`{name}` does not tell from when on a row of it is a version"
        advice = (
            f"give it a watermark, or write `ASOF JOIN {name} MATCH_CONDITION (a.ts >= {name}.ts)`"
        )
    problems.add("TVF502", message, span_of(version), "which version?", advice=advice)
