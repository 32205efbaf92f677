"""Random queries of final rows: each tells in SQLite, too, with which clock value a row comes.

All relations have the columns `id`, `k`, `v` and the time `ts`, in SQLite also `due`, the first
clock value at which a row is there; NULL where that waits for rows that have not come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from oracle.closing import Closing, latest
from oracle.dialects import SECOND, Pair, both, either, listed
from oracle.windows import NAMES, random_windows, tumbling

EMIT = both(" EMIT ON WINDOW CLOSE")
ORDER = "ts, id, k, v"
"""An order in which no two rows are equal unless they are the same."""


def interval(micros: int) -> Pair:
    """An interval in both dialects."""
    return Pair(f"INTERVAL {micros // 1000} MILLISECONDS", str(micros))


@dataclass(frozen=True)
class Relation:
    """Rows that are final some time.

    Attributes:
        text: its query, which in SQLite has `due` as well.
        reads: the streams that it reads.
        closing: when its times are closed; None: that depends on rows to come, or varies.
    """

    text: Pair
    reads: frozenset[str]
    closing: Closing | None = None


@dataclass(frozen=True)
class Question:
    """A query, and what it answers in SQLite when the clock is at `clock()`.

    Attributes:
        text: the query in both dialects.
        reads: the streams that it reads.
        changes: whether rows leave the result again.
    """

    text: Pair
    reads: frozenset[str]
    changes: bool = False


class FinalRows:
    """Makes queries of final rows over the streams `a` and `b`.

    Args:
        rng: where chance comes from.
        streams: what may be read.
    """

    def __init__(self, rng: Random, streams: str) -> None:
        self._rng = rng
        self._streams = streams

    def question(self) -> Question:
        """A whole query."""
        match self._rng.choices(range(4), (12, 2, 4, 1))[0]:
            case 0:
                return self._as_they_come(self._relation(self._rng.choice((1, 2, 2, 3, 3))), EMIT)
            case 1:
                return self._as_they_come(self._delays(), both(""))
            case 2:
                return self._changing(self._relation(self._rng.choice((1, 2, 2, 3))))
            case _:
                return self._late()

    def _as_they_come(self, rows: Relation, end: Pair) -> Question:
        text = either(
            "SELECT id, k, v, ts FROM ({}) AS q{}",
            "SELECT id, k, v, ts FROM ({}) AS q WHERE due <= clock()",
            rows.text,
            end,
        )
        return Question(text, rows.reads)

    def _changing(self, rows: Relation) -> Question:
        """Groups, first rows, or rows that leave again, of final rows."""
        rng = self._rng
        come = either(
            "({}{}) AS q", "(SELECT * FROM ({}) AS q WHERE due <= clock()) AS q", rows.text, EMIT
        )
        match rng.randrange(3):
            case 0:
                text = both(
                    "SELECT k, count(*) AS n, sum(v) AS s, max(ts) AS m FROM {} GROUP BY k", come
                )
            case 1:
                order = rng.choice((f"v DESC, {ORDER}", "ts DESC, id, k, v", f"k, {ORDER}"))
                number = (
                    f"row_number() OVER (PARTITION BY {rng.choice('kv')} ORDER BY {order}) AS n"
                )
                text = both(
                    f"SELECT id, k, v, ts FROM (SELECT *, {number} FROM {{}}) AS q WHERE n <= 2",
                    come,
                )
            case _:
                op, length = rng.choice(("<", "<=")), interval(rng.choice((2, 3, 5, 8)) * SECOND)
                text = either(
                    f"SELECT id, k, v, ts FROM {{}} WHERE WATERMARK_TS() {op} ts + {{}}",
                    f"SELECT id, k, v, ts FROM {{}} WHERE clock() {op} ts + {{}}",
                    come,
                    length,
                )
        return Question(text, rows.reads, changes=True)

    def _late(self) -> Question:
        """Rows that were late, each with the watermark that refused it."""
        legs = [
            either(
                f"SELECT id, k, v, ts, _watermark FROM LATE({name})",
                f"SELECT id, k, v, ts, te AS _watermark FROM late_{name}",
            )
            for name in self._streams
        ]
        where = self._rng.choice(("v > 0", "k IS NOT NULL", "ts < _watermark"))
        text = both(f"SELECT * FROM ({{}}) AS q WHERE {where}", listed(legs, " UNION ALL "))
        if self._rng.random() < 0.5:
            return Question(text, frozenset(self._streams))
        groups = both(
            "SELECT k, count(*) AS n, max(_watermark) AS w FROM ({}) AS g GROUP BY k", text
        )
        return Question(groups, frozenset(self._streams), changes=True)

    # Rows.

    def _relation(self, depth: int) -> Relation:
        """A relation of some operators, whose outermost query says EMIT ON WINDOW CLOSE."""
        rng = self._rng
        if depth <= 0:
            return (
                self._filtered(self._source("past_ms(ts)"))
                if rng.random() < 0.3
                else self._source("past_ms(ts)")
            )
        below = self._relation(depth - 1)
        made = rng.choices(list(self._kinds()), [each for _, each in self._kinds().values()])[0]
        rows = self._kinds()[made][0](below)
        if rows is None:
            return self._relation(depth)
        if rng.random() < 0.2:
            return replace(rows, text=either("SELECT * FROM ({}{}) AS e", "{}", rows.text, EMIT))
        return rows

    def _kinds(self) -> dict[str, tuple[Callable[[Relation], Relation | None], int]]:
        return {
            "filter": (self._filtered, 2),
            "project": (self._projected, 2),
            "delay": (self._delayed, 3),
            "windows": (self._in_windows, 1),
            "groups": (self._groups, 6),
            "times": (self._times, 2),
            "distinct": (self._distinct, 1),
            "sessions": (self._sessions, 2),
            "over": (self._over, 3),
            "following": (self._following, 1),
            "lead": (self._lead, 1),
            "held": (self._held, 1),
            "top": (self._top, 2),
            "union": (self._union, 2),
            "window join": (self._window_join, 1),
            "interval join": (self._interval_join, 2),
        }

    def _source(self, due: str) -> Relation:
        name = self._rng.choice(self._streams)
        text = Pair(
            f"SELECT id, k, v, ts FROM {name}",
            f"SELECT id, k, v, ts, {due} AS due FROM {name} WHERE ts IS NOT NULL",
        )
        return Relation(text, frozenset(name), Closing())

    def _delays(self) -> Relation:
        """Rows that wait for their times alone, without EMIT."""
        rng = self._rng
        rows = self._waiting()
        if rng.random() < 0.5:
            rows = self._filtered(self._projected(rows))
        if rng.random() < 0.4:
            rows = self._united(rows, self._waiting())
        return rows

    def _waiting(self) -> Relation:
        rows = self._source("0")
        return self._delayed(rows) or rows

    def _filtered(self, below: Relation) -> Relation:
        condition = self._ordinary()
        text = either(
            f"SELECT id, k, v, ts FROM ({{}}) AS f WHERE {condition}",
            f"SELECT * FROM ({{}}) AS f WHERE {condition}",
            below.text,
        )
        return replace(below, text=text)

    def _ordinary(self) -> str:
        return self._rng.choice(
            (
                "v > 0",
                "v IS NOT NULL",
                "k <> 'x'",
                "k IN ('x', 'y')",
                "id % 3 > 0",
                "(v < 2 OR k IS NULL)",
            )
        )

    def _projected(self, below: Relation) -> Relation:
        rng = self._rng
        closing, time = below.closing, both("ts")
        if closing is not None and rng.random() < 0.5:
            length = rng.choice((-1500, -1000, -400, 500, 1000)) * 1000
            time, closing = both("ts + {}", interval(length)), closing.moved(length)
        v = rng.choice(("v + 1", "v * 2", "coalesce(v, id)", "id"))
        text = either(
            f"SELECT id, k, {v} AS v, {{}} AS ts FROM ({{}}) AS p",
            f"SELECT id, k, {v} AS v, {{}} AS ts, due FROM ({{}}) AS p",
            time,
            below.text,
        )
        return replace(below, text=text, closing=closing)

    def _delayed(self, below: Relation) -> Relation | None:
        """Rows that wait until a while after their time, or another one if a condition holds."""
        rng = self._rng
        if below.closing is None:
            return None
        terms, dues, closing = [], [], below.closing
        for number in range(rng.choice((1, 1, 2))):
            length = interval(rng.choice((500, 1000, 2000, 5000)) * 1000)
            op = rng.choice(("<", "<=", "<="))
            # The first one has no guard: by it all rows have come.
            guard = self._ordinary() if number else "TRUE"
            form = rng.choice((f"ts + {{}} {op} WATERMARK_TS()", f"ts {op} WATERMARK_TS() - {{}}"))
            terms.append(f"({guard} AND {form.format(length.spark)})")
            due = f"{'past_ms' if op == '<' else 'from_ms'}(ts + {length.lite})"
            dues.append(f"CASE WHEN {guard} THEN {due} ELSE {NEVER} END")
            if not number:
                closing = closing.behind(int(length.lite), past=op == "<")
        first = f"min({', '.join(dues)})" if len(dues) > 1 else dues[0]
        text = Pair(
            f"SELECT id, k, v, ts FROM ({below.text.spark}) AS d WHERE {' OR '.join(terms)}",
            f"SELECT id, k, v, ts, max(due, {first}) AS due FROM ({below.text.lite}) AS d",
        )
        return replace(below, text=text, closing=closing)

    # Windows and groups.

    def _in_windows(self, below: Relation) -> Relation | None:
        """Rows in windows, under their own time or a bound of the window."""
        if below.closing is None:
            return None
        windows = random_windows(self._rng, below.closing)
        time = self._rng.choice(("ts", "window_end"))
        text = either(
            f"SELECT id, k, v, {time} AS ts FROM {{}}",
            f"SELECT id, k, v, {time} AS ts, due FROM ({{}}) AS w",
            windows.of(below.text),
        )
        return Relation(text, below.reads, below.closing if time == "ts" else windows.ends)

    def _groups(self, below: Relation) -> Relation | None:
        """Groups of windows."""
        rng = self._rng
        if below.closing is None:
            return None
        windows = random_windows(rng, below.closing)
        bound = rng.choice(NAMES) if windows.starts else "window_end"
        by, k = rng.choice(((", k", "k"), (", k", "k"), ("", "min(k)")))
        by = f"GROUP BY window_start, window_end{by}{self._having()}"
        items = f"{self._count()} AS id, {k} AS k, {self._sum()} AS v, {bound} AS ts"
        due = below.closing.before("window_end")
        text = either(
            f"SELECT {items} FROM {{}} {by}",
            f"SELECT {items}, {due} AS due FROM ({{}}) AS w {by}",
            windows.of(below.text),
        )
        return Relation(
            text, below.reads, windows.starts if bound == "window_start" else windows.ends
        )

    def _having(self) -> str:
        """A condition on groups, or none."""
        return ""

    def _count(self) -> str:
        return f"CAST({self._rng.choice(('count(*)', 'count(v)', 'max(id)', 'sum(id)'))} AS INT)"

    def _sum(self) -> str:
        return (
            f"CAST({self._rng.choice(('sum(v)', 'max(v)', 'min(v)', 'count(DISTINCT v)'))} AS INT)"
        )

    def _times(self, below: Relation) -> Relation | None:
        """Groups of a time, or of a second."""
        if below.closing is None:
            return None
        items = f"{self._count()} AS id, k, {self._sum()} AS v"
        if self._rng.random() < 0.5:
            closing: Closing | None = below.closing
            time, due = both("ts"), below.closing.of("ts")
        else:
            windows = tumbling(SECOND, below.closing)
            closing = windows.starts
            time = either("date_trunc('SECOND', ts)", f"floor_to(ts, {SECOND}, 0)")
            due = below.closing.before(f"floor_to(ts, {SECOND}, 0) + {SECOND}")
        text = either(
            f"SELECT {items}, {{0}} AS ts FROM ({{1}}) AS t GROUP BY {{0}}, k",
            f"SELECT {items}, {{0}} AS ts, {due} AS due FROM ({{1}}) AS t GROUP BY {{0}}, k",
            time,
            below.text,
        )
        return Relation(text, below.reads, closing)

    def _distinct(self, below: Relation) -> Relation | None:
        if below.closing is None:
            return None
        text = either(
            "SELECT DISTINCT id, k, v, ts FROM ({}) AS d",
            f"SELECT DISTINCT id, k, v, ts, {below.closing.of('ts')} AS due FROM ({{}}) AS d",
            below.text,
        )
        return replace(below, text=text)

    def _sessions(self, below: Relation) -> Relation | None:
        """Sessions of a key: gaps and islands in SQLite."""
        rng = self._rng
        if below.closing is None:
            return None
        gap = interval(rng.choice((500, 1000, 1500, 3000)) * 1000)
        before = "lag(ts) OVER (PARTITION BY k ORDER BY ts)"
        begins = f"CASE WHEN ts - {before} < {gap.lite} THEN 0 ELSE 1 END"
        number = "sum(b) OVER (PARTITION BY k ORDER BY ts ROWS UNBOUNDED PRECEDING)"
        islands = (
            f"(SELECT *, {number} AS n FROM (SELECT *, {begins} AS b FROM ({{}}) AS s) AS s) AS s"
        )
        closing = Closing(later=max(below.closing.total, 0), past=False)
        end = f"max(ts) + {gap.lite}"
        items = f"{self._count()} AS id, k, {self._sum()} AS v"
        lite = f"SELECT {items}, {end} AS ts, {closing.of(end)} AS due FROM {islands} GROUP BY k, n"
        spark = rng.choice(
            (
                f"SELECT {items}, window_end AS ts FROM SESSION(({{}}), ts, k, {gap.spark})"
                " GROUP BY window_start, window_end, k",
                f"SELECT {items}, session_window.end AS ts FROM ({{}}) AS s"
                f" GROUP BY session_window(ts, {gap.spark}), k",
            )
        )
        return Relation(either(spark, lite, below.text), below.reads, closing)

    # Window functions.

    def _over(self, below: Relation) -> Relation | None:
        """Window functions that look back."""
        rng = self._rng
        if below.closing is None:
            return None
        partition = rng.choice(("", "PARTITION BY k ", "PARTITION BY k, v "))
        rows = rng.choice(("1 PRECEDING", "2 PRECEDING", "UNBOUNDED PRECEDING"))
        length = interval(rng.choice((400, 1000, 2000)) * 1000)
        near = f"({partition}ORDER BY ts RANGE BETWEEN {{}} PRECEDING AND"
        last = f"({partition}ORDER BY {ORDER} ROWS BETWEEN {rows} AND CURRENT ROW)"
        call = rng.choice(
            (
                both(f"row_number() OVER ({partition}ORDER BY {ORDER})"),
                both(f"rank() OVER ({partition}ORDER BY ts)"),
                both(f"dense_rank() OVER ({partition}ORDER BY ts, v)"),
                both(f"lag(v) OVER ({partition}ORDER BY {ORDER})"),
                both(f"lag(id, 2, -1) OVER ({partition}ORDER BY {ORDER})"),
                both(f"sum(v) OVER {last}"),
                both(f"max(v) OVER {near} CURRENT ROW)", length),
                both(f"count(*) OVER {near} {{}} PRECEDING)", length, interval(1000)),
            )
        )
        return self._with_call(below, call, below.closing.of("ts"), below.closing)

    def _with_call(
        self, below: Relation, call: Pair, due: str, closing: Closing | None
    ) -> Relation:
        text = either(
            "SELECT id, k, CAST({} AS INT) AS v, ts FROM ({}) AS o",
            f"SELECT id, k, {{}} AS v, ts, {due} AS due FROM ({{}}) AS o",
            call,
            below.text,
        )
        return Relation(text, below.reads, closing)

    def _following(self, below: Relation) -> Relation | None:
        """Window functions over what follows within some time."""
        rng = self._rng
        if below.closing is None:
            return None
        length = rng.choice((400, 1000, 2500)) * 1000
        call = both(
            "sum(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN CURRENT ROW AND {} FOLLOWING)",
            interval(length),
        )
        closing = below.closing.behind(below.closing.total + length, past=False)
        return self._with_call(below, call, closing.of("ts"), closing)

    def _lead(self, below: Relation) -> Relation | None:
        """Window functions that wait for the rows that follow."""
        rng = self._rng
        if below.closing is None:
            return None
        number, partition = rng.choice((1, 1, 2)), rng.choice(("", "PARTITION BY k "))
        over = f"OVER ({partition}ORDER BY {ORDER}"
        call = rng.choice(
            (
                f"lead(v, {number}) {over})",
                f"sum(v) {over} ROWS BETWEEN 1 PRECEDING AND {number} FOLLOWING)",
                f"count(v) {over} ROWS BETWEEN CURRENT ROW AND {number} FOLLOWING)",
            )
        )
        due = f"lead({below.closing.of('ts')}, {number}) {over})"
        return self._with_call(below, both(call), due, None)

    def _held(self, below: Relation) -> Relation | None:
        """Windows of rows that wait for those that follow: each as a whole, after older rows."""
        rng = self._rng
        lead = self._lead(below)
        if lead is None or below.closing is None:
            return None
        size = interval(rng.choice((1000, 2000, 3000)) * 1000)
        items = f"{self._count()} AS id, k, {self._sum()} AS v, window_end AS ts"
        end = f"floor_to(ts, {size.lite}, 0) + {size.lite}"
        rows = f"(SELECT *, {end} AS window_end FROM ({{0}}) AS h) AS h"
        groups = f"SELECT {items} FROM {rows} GROUP BY window_end, k"
        by = " GROUP BY window_start, window_end, k"
        older = "FROM ({0}) AS o WHERE o.ts < g.ts"
        waits = f"(SELECT count(*) {older} AND o.due IS NULL)"
        last = f"max({below.closing.before('g.ts')}, (SELECT max(o.due) {older}))"
        due = f"CASE WHEN {waits} = 0 THEN {last} END"
        text = either(
            f"SELECT {items} FROM TUMBLE(({{0}}), ts, {size.spark}){by}",
            f"SELECT g.*, {due} AS due FROM ({groups}) AS g",
            lead.text,
        )
        return Relation(text, below.reads)

    def _top(self, below: Relation) -> Relation | None:
        """Window functions within windows, in any order: final with the window."""
        rng = self._rng
        if below.closing is None:
            return None
        windows = random_windows(rng, below.closing)
        order = rng.choice(("v DESC, id, k, ts", "id, k, v, ts", "k DESC, v, id, ts"))
        call, where = rng.choice(
            (
                ("row_number()", " WHERE v <= 2"),
                ("lead(id)", ""),
                ("ntile(2)", ""),
                ("first_value(id)", ""),
            )
        )
        by = rng.choice(("", ", k"))
        over = f"OVER (PARTITION BY window_start, window_end{by} ORDER BY {order})"
        items = f"id, k, {call} {over} AS v, window_end AS ts"
        due = below.closing.before("window_end")
        text = either(
            f"SELECT * FROM (SELECT {items} FROM {{}}) AS t{where}",
            f"SELECT * FROM (SELECT {items}, {due} AS due FROM ({{}}) AS w) AS t{where}",
            windows.of(below.text),
        )
        return Relation(text, below.reads, windows.ends)

    # Two relations.

    def _union(self, below: Relation) -> Relation | None:
        other = self._relation(self._rng.choice((0, 0, 1)))
        return self._united(below, other)

    def _united(self, one: Relation, other: Relation) -> Relation:
        sides = [
            either(
                "SELECT id, k, v, ts FROM ({}) AS s",
                "SELECT id, k, v, ts, due FROM ({}) AS s",
                each.text,
            )
            for each in (one, other)
        ]
        closing = latest(one.closing, other.closing)
        if one.closing and other.closing and closing:
            # The watermark of both is passed, if that of one is.
            closing = replace(closing, past=one.closing.past or other.closing.past)
        text = both("SELECT * FROM ({}) AS u", listed(sides, " UNION ALL "))
        return Relation(text, one.reads | other.reads, closing)

    def _window_join(self, below: Relation, other: Relation | None = None) -> Relation | None:
        """Groups of the same windows of two relations."""
        other = other or self._relation(self._rng.choice((0, 0, 1)))
        size, kind = self._rng.choice((1000, 2000)) * 1000, self._rng.choice(("JOIN", "LEFT JOIN"))
        left, right = self._tumbling(below, size), self._tumbling(other, size)
        if left is None or right is None or other.closing is None:
            return None
        due = f"max(l.due, coalesce(r.due, {other.closing.before('l.window_end')}))"
        items = "l.id AS id, l.k AS k, r.v AS v, l.window_end AS ts"
        on = "l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"
        text = either(
            f"SELECT {items} FROM ({{}}) AS l {kind} ({{}}) AS r ON {on}",
            f"SELECT {items}, {due} AS due FROM ({{}}) AS l {kind} ({{}}) AS r ON {on}",
            left.text,
            right.text,
        )
        closing = None
        if left.closing and right.closing:
            closing = left.closing.beside(right.closing.total, past=right.closing.past)
        return Relation(text, below.reads | other.reads, closing)

    def _tumbling(self, below: Relation, size: int) -> Relation | None:
        """Groups of windows of a size, which have both bounds and no time."""
        if below.closing is None:
            return None
        windows = tumbling(size, below.closing)
        items = f"{self._count()} AS id, k, {self._sum()} AS v, window_start, window_end"
        due, by = below.closing.before("window_end"), "GROUP BY window_start, window_end, k"
        text = either(
            f"SELECT {items} FROM {{}} {by}",
            f"SELECT {items}, {due} AS due FROM ({{}}) AS w {by}",
            windows.of(below.text),
        )
        return Relation(text, below.reads, windows.ends)

    def _interval_join(self, below: Relation, other: Relation | None = None) -> Relation | None:
        """Pairs whose times are near to each other."""
        rng = self._rng
        other = other or self._relation(rng.choice((0, 0, 1)))
        left, right = below.closing, other.closing
        if left is None or right is None:
            return None
        first = rng.choice((-2000, -1000, -400, 0, 500)) * 1000
        last = rng.choice((500, 1000, 2500)) * 1000
        op, kind = rng.choice(("<=", "<=", "<")), rng.choice(("JOIN", "LEFT JOIN"))
        on = f"l.k = r.k AND r.ts >= l.ts + {{}} AND r.ts {op} l.ts + {{}}"
        alone = (right.of if op == "<=" else right.before)(f"l.ts + {last}")
        # Before a moment is until a microsecond before it, and with the clock past that at it.
        exact = op == "<" and not right.past
        partners = right.total + last - exact
        time, closing = "l", left.beside(partners, past=right.past and op == "<=")
        if kind == "JOIN" and rng.random() < 0.5:
            time, closing = "r", right.beside(left.total - first, past=left.past)
        items = f"l.id AS id, l.k AS k, r.v AS v, {time}.ts AS ts"
        due = f"max(l.due, coalesce(r.due, {alone}))"
        text = either(
            f"SELECT {items} FROM ({{}}) AS l {kind} ({{}}) AS r ON {{}}",
            f"SELECT {items}, {due} AS due FROM ({{}}) AS l {kind} ({{}}) AS r ON {{}}",
            below.text,
            other.text,
            both(on, interval(first), interval(last)),
        )
        return Relation(text, below.reads | other.reads, closing)


NEVER = str(2**61)
