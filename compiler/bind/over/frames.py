"""How far a window function looks: rows before and after, by number or by time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.sql.lengths import length_of

NUMBERS: dict[type[exp.Expression], str] = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
}
"""Functions whose value the runtime counts, so that no row need be kept for them."""

WHOLE_PARTITION = (exp.Ntile, exp.PercentRank, exp.CumeDist)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a window function looks.

    Attributes:
        before: rows before the row itself; None: all.
        after: rows after it; None: all, so that it is never final.
        back: how far it looks back by time, Spark SQL; None: it does not.
        ahead: how far it looks ahead by time.
        counts_rows: whether the order of rows of one time matters.
        last: how many rows up to the row itself it looks back at, of those that have a value.
        value: the value that they have.
    """

    before: int | None = 0
    after: int | None = 0
    back: str | None = None
    ahead: str | None = None
    counts_rows: bool = False
    last: int = 0
    value: exp.Expression | None = None

    @property
    def has_peers(self) -> bool:
        """Whether rows of the same place in ORDER BY belong to the frame, and all before them."""
        looks_far = self.before is None or self.value is not None
        return looks_far and self.after == 0 and not self.counts_rows and self.back is None


class NoNumberError(Exception):
    """A number of rows is no whole number that is written out; the node tells where."""

    def __init__(self, node: exp.Expression) -> None:
        super().__init__()
        self.node = node


def reach_of(call: exp.Expression, window: exp.Window) -> Reach:
    """How far a function over a window looks; `window` has its own ORDER BY and frame.

    Raises:
        NoNumberError: it says so by an expression.
    """
    ignores_nulls = isinstance(call, exp.IgnoreNulls)
    function = call.this if isinstance(call, exp.IgnoreNulls | exp.RespectNulls) else call
    if isinstance(function, exp.Lag | exp.Lead):
        return _neighbour(function, ignores_nulls=ignores_nulls)
    if isinstance(function, WHOLE_PARTITION):
        return Reach(before=None, after=None)
    if type(function) in NUMBERS:
        return Reach(counts_rows=True)
    spec = window.args.get("spec")
    if spec is None:
        found = Reach(before=None, after=0 if window.args.get("order") else None)
    else:
        found = _by_rows(spec) if spec.args["kind"] == "ROWS" else _by_range(spec)
    is_carried = ignores_nulls and isinstance(function, exp.LastValue | exp.Last)
    if is_carried and found.before is None and found.after == 0 and found.ahead is None:
        return replace(found, before=0, last=1, value=function.this)
    return found


def _neighbour(function: exp.Expression, *, ignores_nulls: bool) -> Reach:
    offset = function.args.get("offset")
    rows = 1 if offset is None else _whole(offset)
    rows = rows if isinstance(function, exp.Lead) else -rows
    if ignores_nulls and rows > 0:
        return Reach(before=0, after=None)
    if ignores_nulls and rows < 0:
        # The row itself may have a value, which is none of those before it.
        return Reach(last=1 - rows, value=function.this, counts_rows=True)
    return Reach(before=max(-rows, 0), after=max(rows, 0), counts_rows=True)


def _sides(spec: exp.WindowSpec) -> tuple[tuple[object, bool], tuple[object, bool]]:
    """Start and end of a frame: how far, and whether that is forward."""
    start, end = spec.args["start"], spec.args.get("end") or "CURRENT ROW"
    return (
        (start, spec.args.get("start_side") == "FOLLOWING"),
        (end, spec.args.get("end_side") == "FOLLOWING"),
    )


def _by_rows(spec: exp.WindowSpec) -> Reach:
    (start, starts_after), (end, ends_after) = _sides(spec)
    before: int | None = 0
    after: int | None = 0
    if not starts_after:
        before = _rows(start)
    if ends_after:
        after = _rows(end)
    return Reach(before=before, after=after, counts_rows=True)


def _rows(bound: object) -> int | None:
    if isinstance(bound, exp.Expression):
        return _whole(bound)
    return 0 if bound == "CURRENT ROW" else None


def _by_range(spec: exp.WindowSpec) -> Reach:
    (start, starts_after), (end, ends_after) = _sides(spec)
    if end == "UNBOUNDED":
        return Reach(before=None, after=None)
    ahead = end.sql("spark") if isinstance(end, exp.Expression) and ends_after else None
    if start == "UNBOUNDED":
        # Rows that come after it in time belong to the frame as well.
        return Reach(before=None, back="" if ahead else None, ahead=ahead)
    back = _back(start) if isinstance(start, exp.Expression) and not starts_after else ""
    return Reach(back=back, ahead=ahead)


def _back(start: exp.Expression) -> str:
    """How long after a row others may look back at it."""
    text = start.sql("spark")
    # Or a number: no length either. What makes an interval has it in its name.
    is_calendar = "INTERVAL" in text.upper() and length_of(start) is None
    # A month before March 31 is February 28, whose month ends on March 28.
    return f"{text} + {MONTH_ENDS}" if is_calendar else text


MONTH_ENDS = "INTERVAL 4 DAYS"
"""By how much the days of two months that correspond can be apart, and a change of the clocks."""


def _whole(node: exp.Expression) -> int:
    if isinstance(node, exp.Neg):
        return -_whole(node.this)
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name)
    raise NoNumberError(node)
