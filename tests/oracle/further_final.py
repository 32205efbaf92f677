"""More random queries of final rows: of what stands beside windows and joins in real use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from oracle.closing import Closing
from oracle.dialects import SECOND, both, either
from oracle.final import FinalRows, Question, Relation, interval


class FurtherFinalRows(FinalRows):
    """Makes queries of shapes that `FinalRows` does not have, over and under those that it has."""

    def __init__(self, rng: Random, streams: str) -> None:
        super().__init__(rng, streams)
        self._named = 0

    def question(self) -> Question:
        """A whole query."""
        return self._late_joined() if self._rng.random() < 0.08 else super().question()

    def _kinds(self) -> dict[str, tuple[Callable[[Relation], Relation | None], int]]:
        return super()._kinds() | {
            "twice": (self._twice, 4),
            "unmatched": (self._unmatched, 3),
            "as of": (self._as_of, 3),
            "sessions of rows": (self._sessions_of_rows, 3),
        }

    # Aggregates.

    def _having(self) -> str:
        conditions = ("count(*) > 1", "min(v) IS NOT NULL", "count(*) FILTER (WHERE v > 0) > 0")
        return self._rng.choice(("", "", *(f" HAVING {each}" for each in conditions)))

    def _count(self) -> str:
        calls = ("count(*)", "count(k)", "count(*) FILTER (WHERE v > 0)", "count(DISTINCT k)")
        return f"CAST({self._rng.choice(calls)} AS INT)" if self._chance() else super()._count()

    def _sum(self) -> str:
        call = self._rng.choice(
            (
                "sum(v) FILTER (WHERE id % 2 = 0)",
                "sum(DISTINCT v)",
                "sum(CAST(v AS DECIMAL(12, 2)))",
                "sum(CAST(v AS DOUBLE))",
                "round(avg(v) * 8)",
                "round(avg(CAST(v AS DECIMAL(10, 1))) * 10)",
                "min(v) FILTER (WHERE k IS NULL)",
                "count(DISTINCT v) FILTER (WHERE v <> 1)",
                "max(CASE WHEN k = 'x' THEN v END)",
                "count_if(v > 0)",
                "bool_or(v > 1)",
            )
        )
        return f"CAST({call} AS INT)" if self._chance() else super()._sum()

    def _chance(self) -> bool:
        return self._rng.random() < 0.6

    # Rows.

    def _twice(self, below: Relation) -> Relation | None:
        """A relation that has a name and is read twice."""
        self._named += 1
        name = f"t{self._named}"
        read = replace(
            below, text=either(f"SELECT id, k, v, ts FROM {name}", f"SELECT * FROM {name}")
        )
        made = self._rng.choice(
            (
                lambda: self._united(read, self._filtered(read)),
                lambda: self._united(self._delayed(read) or read, read),
                lambda: self._interval_join(read, self._filtered(read)),
                lambda: self._interval_join(self._projected(read), read),
                lambda: self._window_join(read, read),
                lambda: self._unmatched(read, self._filtered(read)),
            )
        )()
        if made is None:
            return None
        text = both(f"WITH {name} AS ({{}}) SELECT * FROM ({{}}) AS w", below.text, made.text)
        return replace(made, text=text)

    def _unmatched(self, below: Relation, other: Relation | None = None) -> Relation | None:
        """Rows without a partner within some time."""
        rng = self._rng
        other = other or self._relation(rng.choice((0, 0, 1)))
        left, right = below.closing, other.closing
        if left is None or right is None:
            return None
        first = rng.choice((-2000, -400, 0, 1)) * 1000
        last = rng.choice((500, 1000, 2500)) * 1000
        on = both(
            "l.k = r.k AND r.ts >= l.ts + {} AND r.ts <= l.ts + {}", interval(first), interval(last)
        )
        text = either(
            "SELECT id, k, v, ts FROM ({}) AS l LEFT ANTI JOIN ({}) AS r ON {}",
            f"SELECT id, k, v, ts, max(due, {right.of(f'l.ts + {last}')}) AS due FROM ({{}}) AS l"
            " WHERE NOT EXISTS (SELECT 1 FROM ({}) AS r WHERE {})",
            below.text,
            other.text,
            on,
        )
        closing = left.beside(right.total + last, past=right.past)
        return Relation(text, below.reads | other.reads, closing)

    def _as_of(self, below: Relation, other: Relation | None = None) -> Relation | None:
        """Rows with the time of the last one of others until then."""
        rng = self._rng
        other = other or self._relation(rng.choice((0, 0, 1)))
        left, right = below.closing, other.closing
        if left is None or right is None:
            return None
        kind = rng.choice(("", "LEFT "))
        last = "SELECT max(r.ts) FROM ({}) AS r WHERE r.k = l.k AND l.ts >= r.ts"
        v = "floor_to(last, 1000, 0) / 1000 % 100000"
        text = either(
            "SELECT l.id AS id, l.k AS k, CAST(unix_millis(r.ts) % 100000 AS INT) AS v, l.ts AS ts"
            f" FROM ({{}}) AS l ASOF {kind}JOIN ({{}}) AS r MATCH_CONDITION (l.ts >= r.ts)"
            " ON l.k = r.k",
            f"SELECT id, k, {v} AS v, ts, max(due, {right.of('ts')}) AS due FROM"
            f" (SELECT *, ({last.replace('{}', '{1}')}) AS last FROM ({{0}}) AS l) AS l"
            f"{'' if kind else ' WHERE last IS NOT NULL'}",
            below.text,
            other.text,
        )
        closing = left.beside(right.total, past=right.past)
        return Relation(text, below.reads | other.reads, closing)

    def _sessions_of_rows(self, below: Relation) -> Relation | None:
        """Sessions of a key in which each row says how long it lasts; not above zero: in none."""
        if below.closing is None:
            return None
        rows = f"SELECT *, ts + (id % 4 - 1) * {SECOND} AS e FROM ({{}}) AS s WHERE id % 4 > 1"
        before = (
            "max(e) OVER (PARTITION BY k ORDER BY ts, e"
            " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
        )
        begins = f"CASE WHEN ts < {before} THEN 0 ELSE 1 END"
        number = "sum(b) OVER (PARTITION BY k ORDER BY ts, e ROWS UNBOUNDED PRECEDING)"
        islands = (
            f"(SELECT *, {number} AS n FROM (SELECT *, {begins} AS b FROM ({rows}) AS s) AS s)"
        )
        closing = Closing(later=max(below.closing.total, 0), past=False)
        items = f"{self._count()} AS id, k, {self._sum()} AS v"
        gap = "make_dt_interval(0, 0, 0, id % 4 - 1)"
        text = either(
            f"SELECT {items}, window_end AS ts FROM SESSION(({{}}), ts, k, {gap})"
            " GROUP BY window_start, window_end, k",
            f"SELECT {items}, max(e) AS ts, {closing.of('max(e)')} AS due FROM {islands} AS s"
            " GROUP BY k, n",
            below.text,
        )
        return Relation(text, below.reads, closing)

    def _late_joined(self) -> Question:
        """Late rows beside rows that were on time."""
        rng = self._rng
        late, other = rng.choice(self._streams), rng.choice(self._streams)
        rows = either(f"LATE({late}) AS l", f"late_{late} AS l")
        pair, groups, none = (
            f"SELECT l.id, l.k, l.v, l.ts, r.id AS j FROM {{}} JOIN {other} AS r"
            " ON l.k = r.k AND l.v = r.v",
            f"SELECT l.id, l.k, l.ts, r.n FROM {{}} LEFT JOIN (SELECT k, count(*) AS n FROM {other}"
            " GROUP BY k) AS r ON l.k = r.k",
            f"SELECT l.id, l.k, l.ts FROM {{}} WHERE NOT EXISTS (SELECT 1 FROM {other} AS r"
            " WHERE r.k = l.k)",
        )
        text, changes = rng.choice(((pair, False), (groups, True), (none, True)))
        return Question(both(text, rows), frozenset((late, other)), changes)
