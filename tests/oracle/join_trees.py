"""Random trees of joins with time ranges, as SQL, and their answers, worked out row by row.

A row of a tree is what it has of each stream: by the alias of the stream a row of it, or None where
an outer join has left it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import NamedTuple, TypeAlias

MILLISECOND, SECOND = 1_000, 1_000_000


class Event(NamedTuple):
    """A row of a stream: what it is joined by, its own number, and its time in microseconds."""

    id: int | None
    number: int
    ts: int | None


Joined: TypeAlias = Mapping[str, Event | None]
Arrived: TypeAlias = Mapping[str, list[Event]]


@dataclass(frozen=True)
class Leaf:
    """A stream under an alias."""

    stream: str
    alias: str


@dataclass(frozen=True)
class Range:
    """`right.ts OP left.ts + length`; `written` for the other way round."""

    left: str
    op: str
    right: str
    length: int
    is_turned: bool = False

    def holds(self, left: Joined, right: Joined) -> bool:
        """Whether a pair satisfies it."""
        one, other = left[self.left], right[self.right]
        if one is None or other is None or one.ts is None or other.ts is None:
            return False
        return OPS[self.op](other.ts, one.ts + self.length)

    def has_ended(self, row: Joined, clock: int, *, of_left: bool) -> bool:
        """Whether by this no partner of a row on one side can come any more."""
        event = row[self.left if of_left else self.right]
        if (
            event is None
            or event.ts is None
            or self.op not in (ENDS_LEFT if of_left else ENDS_RIGHT)
        ):
            return False
        last = event.ts + self.length if of_left else event.ts - self.length
        return clock >= last if self.op in "<>" else clock > last


OPS: dict[str, Callable[[int, int], bool]] = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "=": int.__eq__,
}
ENDS_LEFT, ENDS_RIGHT = ("<", "<=", "="), (">", ">=", "=")
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True)
class Join:
    """A join of two trees, by the ids of one stream of each and ranges of time.

    `none` is an id that stands for NULL; `least`, if it is there, an alias and the number that its
    rows must exceed.
    """

    left: Tree
    right: Tree
    kind: str
    ids: tuple[str, str]
    ranges: tuple[Range, ...]
    none: int | None = None
    least: tuple[str, int] | None = None

    def matches(self, left: Joined, right: Joined) -> bool:
        """Whether two rows are a pair."""
        one, other = left[self.ids[0]], right[self.ids[1]]
        if one is None or other is None or one.id != other.id or one.id in (None, self.none):
            return False
        if self.is_too_small({**left, **right}):
            return False
        return all(each.holds(left, right) for each in self.ranges)

    def is_too_small(self, row: Joined) -> bool:
        """Whether a row of either side, or of both, has no partner because of its number."""
        if self.least is None or self.least[0] not in row:
            return False
        event = row[self.least[0]]
        return event is None or event.number <= self.least[1]


Tree: TypeAlias = Leaf | Join


def visible(tree: Tree) -> list[str]:
    """The aliases whose columns a tree offers."""
    if isinstance(tree, Leaf):
        return [tree.alias]
    alone = tree.kind in ("LEFT SEMI", "LEFT ANTI")
    return visible(tree.left) + ([] if alone else visible(tree.right))


def has_exact_end(tree: Tree) -> bool:
    """Whether rows without a partner come as soon as a single stream has none for them.

    Of joined rows on the other side, which come later than their time, only the join can tell.
    """
    if isinstance(tree, Leaf):
        return True
    searched = {
        "LEFT": (tree.right,),
        "LEFT ANTI": (tree.right,),
        "RIGHT": (tree.left,),
        "FULL": (tree.left, tree.right),
    }.get(tree.kind, ())
    is_single = all(isinstance(each, Leaf) for each in searched)
    return is_single and has_exact_end(tree.left) and has_exact_end(tree.right)


def come(tree: Tree, arrived: Arrived, clock: int) -> list[Joined]:
    """The rows of a tree that are there by a clock value, whether they are past or not."""
    if isinstance(tree, Leaf):
        return [{tree.alias: each} for each in arrived[tree.stream]]
    lefts, rights = come(tree.left, arrived, clock), come(tree.right, arrived, clock)
    pairs = [(one, other) for one in lefts for other in rights if tree.matches(one, other)]
    joined: list[Joined] = [{**left, **right} for left, right in pairs]
    if tree.kind == "INNER":
        return joined
    if tree.kind in ("RIGHT", "FULL"):
        met = {id(right) for _, right in pairs}
        none = dict.fromkeys(visible(tree.left))
        alone = (each for each in rights if id(each) not in met)
        ended = (each for each in alone if _has_ended(tree, each, clock, of_left=False))
        joined += [{**none, **each} for each in ended]
        if tree.kind == "RIGHT":
            return joined
    met = {id(left) for left, _ in pairs}
    if tree.kind == "LEFT SEMI":
        return [each for each in lefts if id(each) in met]
    ended_lefts = [
        each
        for each in lefts
        if id(each) not in met and _has_ended(tree, each, clock, of_left=True)
    ]
    if tree.kind == "LEFT ANTI":
        return ended_lefts
    none = dict.fromkeys(visible(tree.right))
    return [*joined, *({**each, **none} for each in ended_lefts)]


def _has_ended(tree: Join, row: Joined, clock: int, *, of_left: bool) -> bool:
    ended = any(each.has_ended(row, clock, of_left=of_left) for each in tree.ranges)
    return ended or tree.is_too_small(row)


def are_past(row: Joined, clock: int) -> bool:
    """Whether the clock has passed all times of a row."""
    return all(each is None or (each.ts is not None and each.ts < clock) for each in row.values())


# SQL


@dataclass
class Writer:
    """Writes a tree as a FROM clause; `names` is how the columns of each alias are called there."""

    names: dict[str, str] = field(default_factory=dict)
    subqueries: int = 0

    def from_clause(self, tree: Tree) -> str:
        """What follows FROM."""
        if isinstance(tree, Leaf):
            self.names[tree.alias] = f"{tree.alias}."
            return f"{tree.stream} AS {tree.alias}"
        left, right = self.from_clause(tree.left), self._side(tree.right)
        ids = [self._column(each, "id") for each in tree.ids]
        keys = ids if tree.none is None else [f"nullif({each}, {tree.none})" for each in ids]
        on = [" = ".join(keys)]
        on += [self._range(each) for each in tree.ranges]
        if tree.least is not None:
            on.append(f"{self._column(tree.least[0], 'n')} > {tree.least[1]}")
        return f"{left}\n  {tree.kind} JOIN {right} ON {' AND '.join(on)}"

    def _side(self, tree: Tree) -> str:
        if isinstance(tree, Leaf):
            return self.from_clause(tree)
        inner = Writer(subqueries=self.subqueries)
        text = inner.from_clause(tree)
        self.subqueries = inner.subqueries + 1
        name = f"s{self.subqueries}"
        aliases = visible(tree)
        items = [
            f"{inner._column(alias, column)} AS {alias}_{column}"
            for alias in aliases
            for column in ("id", "n", "ts")
        ]
        self.names |= {alias: f"{name}.{alias}_" for alias in aliases}
        return f"(SELECT {', '.join(items)} FROM {text}) AS {name}"

    def _column(self, alias: str, column: str) -> str:
        return f"{self.names[alias]}{column}"

    def _range(self, each: Range) -> str:
        left, right = self._column(each.left, "ts"), self._column(each.right, "ts")
        if each.is_turned:
            return f"{left} {TURNED[each.op]} {right}{_added(-each.length)}"
        return f"{right} {each.op} {left}{_added(each.length)}"


def _added(length: int) -> str:
    if not length:
        return ""
    number, unit = abs(length), "MICROSECONDS"
    if number % MILLISECOND == 0:
        number, unit = number // MILLISECOND, "MILLISECONDS"
    return f" {'-' if length < 0 else '+'} INTERVAL {number} {unit}"


# Chance


@dataclass(frozen=True)
class Query:
    """A tree, what is asked of its rows, and when they are to come.

    Attributes:
        tree: the joins.
        sql: the query.
        mode: `now`, `final`, `delayed` (final, and a while after the time of `on`), `until` (they
            leave a while after it), or `windows` (counted in windows of it).
        on: an alias.
        wait: the while, or the size of windows, in microseconds.
    """

    tree: Tree
    sql: str
    mode: str
    on: str
    wait: int

    @property
    def changes(self) -> bool:
        """Whether rows leave the result again."""
        return self.mode == "until"

    def answer(self, arrived: Arrived, clock: int) -> Counter[tuple[int | None, ...]]:
        """What has come out by a clock value, or of what changes, what is there."""
        rows = come(self.tree, arrived, clock)
        if self.mode == "windows":
            times = (row[self.on] for row in rows)
            starts = Counter(e.ts // self.wait * self.wait for e in times if e and e.ts is not None)
            groups = {(at, n) for at, n in starts.items() if at + self.wait <= clock}
            return Counter(groups)
        shown = [row for row in rows if self._is_there(row, clock)]
        aliases = visible(self.tree)
        numbers = ((e.number if (e := row[alias]) else None for alias in aliases) for row in shown)
        return Counter(map(tuple, numbers))

    def _is_there(self, row: Joined, clock: int) -> bool:
        event = row[self.on]
        time = event.ts if event is not None else None
        match self.mode:
            case "now":
                return True
            case "until":
                return time is not None and clock < time + self.wait
            case "delayed":
                is_due = time is not None and clock >= time + self.wait
                return is_due and are_past(row, clock)
            case _:
                return are_past(row, clock)


@dataclass
class Trees:
    """Makes trees of streams."""

    rng: Random

    def query(self, streams: list[str]) -> Query:
        """A query that reads each of the streams, once or more."""
        rng = self.rng
        leaves = [Leaf(name, f"x{place}") for place, name in enumerate(streams, 1)]
        if rng.random() < 0.15:
            leaves.append(Leaf(rng.choice(streams), f"x{len(leaves) + 1}"))
        rng.shuffle(leaves)
        mode = rng.choices(("final", "now", "delayed", "until", "windows"), (8, 2, 2, 2, 3))[0]
        kinds = ("INNER", "LEFT SEMI") if mode in ("now", "until") else KINDS
        tree = self._tree(leaves, kinds)
        if mode == "final" and isinstance(tree, Join) and rng.random() < 0.25:
            # Nothing closes above it, and a join there would need what does.
            tree = replace(tree, kind="FULL" if tree.kind in ("LEFT", "RIGHT") else tree.kind)
        on = rng.choice(kept(tree) or visible(tree))
        wait = rng.choice((500, 1000, 2000, 3500)) * MILLISECOND
        return Query(tree, _text(tree, mode, on, wait), mode, on, wait)

    def _tree(self, leaves: list[Leaf], kinds: tuple[str, ...]) -> Tree:
        tree: Tree = leaves[0]
        rest = leaves[1:]
        while rest:
            number = 2 if len(rest) > 1 and self.rng.random() < 0.2 else 1
            side, rest = rest[:number], rest[number:]
            right = self._tree(side, kinds)
            tree = self._join(tree, right, self.rng.choice(kinds))
        return tree

    def _join(self, left: Tree, right: Tree, kind: str) -> Join:
        rng = self.rng
        lefts, rights = kept(left), kept(right)
        ids = rng.choice(lefts), rng.choice(rights)
        x, y = rng.choice(lefts), rng.choice(rights)
        first = rng.randint(-7, 6) * 500 * MILLISECOND
        last = first + rng.randint(1, 8) * 500 * MILLISECOND + rng.choice((0, 0, 0, 1, -400))
        ranges = [
            Range(x, rng.choice((">", ">=", ">=")), y, first, rng.random() < 0.3),
            Range(x, rng.choice(("<", "<=", "<=")), y, last, rng.random() < 0.3),
        ]
        match rng.randrange(10):
            case 0:
                ranges = [Range(x, "=", y, first // SECOND * SECOND, rng.random() < 0.3)]
            case 1 if kind == "INNER":
                ranges.pop(rng.randrange(2))
            case 2:
                x, y = rng.choice(lefts), rng.choice(rights)
                ranges.append(Range(x, "<=", y, last))
            case _:
                pass
        none = rng.choice((None, None, None, 2))
        least = (rng.choice(lefts + rights), rng.randint(2, 12)) if rng.random() < 0.3 else None
        return Join(left, right, kind, ids, tuple(ranges), none, least)


KINDS = ("INNER", "INNER", "LEFT", "LEFT", "LEFT SEMI", "LEFT ANTI", "RIGHT")


def kept(tree: Tree) -> list[str]:
    """The aliases that no outer join leaves out."""
    if isinstance(tree, Leaf):
        return [tree.alias]
    left, right = kept(tree.left), kept(tree.right)
    if tree.kind == "RIGHT":
        return right
    if tree.kind == "FULL":
        return []
    return left + right if tree.kind == "INNER" else left


def _text(tree: Tree, mode: str, on: str, wait: int) -> str:
    writer = Writer()
    clause = writer.from_clause(tree)
    time = f"{writer.names[on]}ts"
    if mode == "windows":
        size = f"INTERVAL {wait // MILLISECOND} MILLISECONDS"
        return (
            f"SELECT window_start, count(*) AS c FROM TUMBLE((SELECT {time} AS at FROM {clause})"
            f", at, {size}) GROUP BY window_start EMIT ON WINDOW CLOSE"
        )
    items = ", ".join(f"{writer.names[alias]}n AS {alias}" for alias in visible(tree))
    where = {
        "delayed": f"\n  WHERE {time}{_added(wait)} <= WATERMARK_TS()",
        "until": f"\n  WHERE WATERMARK_TS() < {time}{_added(wait)}",
    }.get(mode, "")
    emit = "" if mode in ("now", "until") else "\n  EMIT ON WINDOW CLOSE"
    return f"SELECT {items}\n  FROM {clause}{where}{emit}"
