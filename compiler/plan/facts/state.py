"""What is remembered for a plan node, as a line or two for whoever runs the job."""

from __future__ import annotations

from typing import assert_never

from compiler.plan.conditions.branches import Branch
from compiler.plan.facts.first_partners import with_first_partners
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Call,
    Changed,
    Counted,
    Filled,
    Filter,
    Frame,
    Join,
    Late,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Parts,
    Plan,
    Project,
    Rule,
    Scan,
    SessionTotals,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    held_by,
)
from compiler.plan.patterns import most_rows
from compiler.sql.lengths import interval_sql
from compiler.sql.names import ASOF_ROW

DUE = "each row until it is due"

_OF_SUMS = frozenset({"count", "count_if", "sum", "avg"})
_SPREADS = ("stddev", "var")


def state_of(  # noqa: C901  a line for each kind of node
    node: Plan, *, grows: bool, of_streams: bool
) -> list[str]:
    """What a node itself keeps.

    Args:
        node: the node.
        grows: rows of its inputs never leave.
        of_streams: of a join: both sides are streams.
    """
    match node:
        case Changed(key=key):
            return [f"the last row of each {', '.join(key)}, with all its columns"] if key else []
        case TableRows(table=table):
            return [f"the rows of {table} as they stand"]
        case TemporalFilter(branches=branches):
            return [_kept_until(branches)]
        case Windows(kind="session", keys=keys):
            of = ", ".join(each.sql for each in keys)
            return [f"each open session{f' of {of}' if of else ''}"]
        case Aggregate(whole_sessions=True, totals=totals):
            return [_of_session(totals)]
        case Aggregate(pane=pane, parts=Parts(keys=keys), closes=closes) if pane is not None:
            by = ", ".join((*keys, f"pane of {interval_sql(pane)}"))
            return [f"a row for each {by} until the last {closes.sql}"]
        case Aggregate(group=group, closes=closes):
            by = ", ".join(each.sql for each in group) or "group"
            until = f"the clock is past {closes.sql}" if node.closes_after else closes.sql
            return [f"a row for each {by} until {until}"]
        case Over(frames=frames):
            return [_looked_at(each) for each in frames]
        case Match():
            return [_matched(node)]
        case Filled():
            return [_last_windows(node)]
        case Totals(keys=keys, calls=calls):
            return [_totals(keys, calls, grows=grows)]
        case Counted(rule=rule):
            return [] if with_first_partners(node) else [_counted(rule, grows=grows)]
        case Top(partition=partition) | OverChanges(partition=partition):
            rows = f"all rows of each {', '.join(partition)}" if partition else "all rows, in order"
            return [f"unbounded: {rows}, since none leaves" if grows else rows]
        case Join() if of_streams:
            return [_join(node)]
        case Paired():
            return ["the rows of both sides of the join as they stand"]
        case Scan() | Watermarked() | Late() | Bad() | StaticQuery() | Join() | Windows():
            return []
        case Named() | Alias() | Filter() | Project() | UnionAll():
            return []
        case _:
            assert_never(node)


def _of_session(totals: SessionTotals | None) -> str:
    if totals is None:
        return "of each session what Spark's aggregates keep"
    kept = dict.fromkeys(call.function for call in totals.calls)
    return f"of each session one row: {', '.join(['its bounds', *kept])}"


def both_end(node: Join) -> bool:
    """Whether the rows of both sides leave their results, so that the join can forget them."""
    return not node.using and all(
        any(
            isinstance(each, TemporalFilter) and all(branch.uppers for branch in each.branches)
            for each in held_by(side)
        )
        for side in (node.left, node.right)
    )


def _join(node: Join) -> str:
    right = node.right.name if isinstance(node.right, Alias | Named) else "another stream"
    if node.has_range:
        return f"rows of both sides of the join with {right} until they find no more partners"
    if both_end(node):
        return f"rows of both sides of the join with {right} until they have left for good"
    return f"unbounded: all rows of both sides of the join with {right}"


def _kept_until(branches: tuple[Branch, ...]) -> str:
    """How long a row is kept for a condition on the clock."""
    if any(branch.uppers for branch in branches):
        ends = [each.bound for branch in branches for each in (branch.uppers or branch.lowers)[:1]]
        return f"each row until {' or '.join(dict.fromkeys(ends))}"
    begins = dict.fromkeys(
        f"{'the clock is past ' if each.strict else ''}{each.bound}"
        for branch in branches
        for each in branch.lowers
    )
    return f"each row until {next(iter(begins))}" if len(begins) == 1 else DUE


def _looked_at(frame: Frame) -> str:
    """What a window specification keeps."""
    keys = f" of each {', '.join(frame.partition)}" if frame.partition else ""
    if frame.before is None:
        return f"unbounded: all rows{keys}, for a frame without a beginning"
    if frame.where is not None:
        last = f"the last {frame.last} rows" if frame.last > 1 else "the last row"
        is_asof = frame.where.startswith(ASOF_ROW)
        return f"{last} of the other side{keys}" if is_asof else f"{last}{keys} with {frame.where}"
    if frame.until is not None:
        return f"rows{keys} until {frame.until.sql}"
    rows = max(frame.before, 1) + frame.after
    return f"the last {rows} rows{keys}" if rows > 1 else f"the last row{keys}"


def _matched(node: Match) -> str:
    """What a pattern keeps: rows with which a match may begin, and those after them."""
    keys = f" of each {', '.join(node.partition)}" if node.partition else ""
    if node.ends is not None:
        return f"rows{keys} until {node.ends.sql}"
    rows = most_rows(node.pattern)
    if rows is None:
        return f"unbounded: rows{keys} from where a match may begin, for as long as it may go on"
    return f"at most {rows} rows{keys}" if rows != 1 else f"at most one row{keys}"


def _last_windows(node: Filled) -> str:
    """What is kept to fill windows without rows."""
    if not node.keys:
        return "the last window with rows"
    last = f"the last window with rows of each {', '.join(node.keys)}"
    if node.silence is None:
        return f"unbounded: {last}, for ever"
    return f"{last}, until {interval_sql(node.silence)} after its end"


def _totals(keys: tuple[str, ...], calls: tuple[Call, ...], *, grows: bool) -> str:
    row = f"a row for each {', '.join(keys)}" if keys else "one row of totals"
    # Of rows that never go, what is at an end is enough.
    of_ends = [each for each in calls if grows and each.is_at_end]
    of_sums = [each for each in calls if not each.distinct and _is_of_sums(each.function)]
    of_values = [each for each in calls if each not in (*of_ends, *of_sums)]
    columns = dict.fromkeys(name for each in of_values for name in each.arguments)
    return f"{row}, with its different values of {', '.join(columns)}" if columns else row


def _is_of_sums(function: str) -> bool:
    return function.lower() in _OF_SUMS or function.lower().startswith(_SPREADS)


def _counted(rule: Rule, *, grows: bool) -> str:
    if rule in (Rule.MATCHED, Rule.UNMATCHED):
        return "each row, and how many partners it has"
    lasts = ", none of which leaves" if grows else ""
    if rule is Rule.DISTINCT:
        return f"each different row, and how often it is there{lasts}"
    return f"each different row, and how often it is in either side{lasts}"
