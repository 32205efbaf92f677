"""Random queries: all relations have the same columns, so that each can stand in another."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from oracle.conditions import Conditions
from oracle.dialects import Pair, both, either, listed

COLUMNS = ("id", "k", "v", "p", "ts", "te")
ALL = ", ".join(COLUMNS)

AGGREGATES = (
    both("count(*)"),
    both("count(v)"),
    both("sum(v)"),
    both("avg(v)"),
    both("min(v)"),
    both("max(ts)"),
    both("min(te)"),
    both("min(k)"),
    both("count(DISTINCT v)"),
    both("sum(DISTINCT v)"),
    both("count(DISTINCT k)"),
    both("stddev(v)"),
    both("var_pop(v)"),
    both("collect_list(v)"),
    both("collect_set(v)"),
    both("bool_and(p)"),
    both("bool_or(p)"),
    both("count_if(p)"),
    both("max_by(v, id)"),
    both("min_by(k, id)"),
)


OF_NOTHING = {"collect_": "'[]'", "count_if": "0"}
"""What aggregate functions are of no rows, if that is not NULL."""


@dataclass(frozen=True)
class Rows:
    """A query with the columns `COLUMNS`.

    Attributes:
        text: the query.
        reads: the streams that it reads.
    """

    text: Pair
    reads: frozenset[str] = field(default_factory=frozenset)


class Queries:
    """Makes queries.

    Args:
        rng: where chance comes from.
        clock: the clock in both dialects.
    """

    def __init__(self, rng: Random, clock: Pair) -> None:
        self._rng = rng
        self._clock = clock
        self.ctes: list[tuple[str, Pair]] = []

    def query(self) -> Rows:
        """A whole query."""
        rng = self._rng
        inner = self.changing(rng.choice((1, 1, 2))) if rng.random() < 0.7 else self.rows(2)
        shape = rng.randrange(4)
        if shape == 0:
            return self._totals(inner)
        if shape == 1:
            items = listed([both(each) for each in rng.sample(COLUMNS, rng.randint(1, 4))])
            extra = rng.choice(("v + 1 AS more", "v IS NULL AS unknown", "7 AS seven"))
            text = both(f"SELECT {{}}, {extra} FROM ({{}}) AS t", items, inner.text)
            return Rows(text, inner.reads)
        return inner

    def rows(self, depth: int) -> Rows:
        """Rows that come and go by conditions on the clock alone."""
        rng = self._rng
        if depth <= 0:
            return self._source()
        match rng.choices(range(4), (5, 2, 3, 1))[0]:
            case 0:
                return self._filtered(self._source() if depth == 1 else self.rows(depth - 1))
            case 1:
                one, other = self.rows(depth - 1), self.rows(depth - 1)
                text = both("SELECT * FROM ({} UNION ALL {}) AS u", _plain(one), _plain(other))
                return Rows(text, reads=one.reads | other.reads)
            case 2:
                return self._inner(self.rows(depth - 1), self.rows(depth - 1))
            case _:
                return self._with_table(self.rows(depth - 1))

    def changing(self, depth: int) -> Rows:
        """Rows that come and go otherwise, too."""
        rng = self._rng
        if depth <= 0:
            return self.rows(rng.randint(1, 2))
        kind = rng.choices(range(9), (4, 2, 3, 3, 3, 2, 2, 3, 2))[0]
        match kind:
            case 0:
                return self._groups(self.changing(depth - 1))
            case 1:
                return self._distinct(self.changing(depth - 1))
            case 2:
                return self._sets(self.changing(depth - 1), self.changing(rng.randint(0, 1)))
            case 3:
                return self._outer(self._side(depth), self._side(depth))
            case 4:
                return self._semi(self._side(depth), self._side(depth))
            case 5:
                return self._first(self.changing(depth - 1))
            case 6:
                return self._ranked(self.changing(depth - 1))
            case 7:
                return self._filtered(self.changing(depth - 1))
            case _:
                return self._inner(self.changing(depth - 1), self._side(depth))

    def asked(self) -> Rows:
        """A whole query of values of subqueries, of window functions, or of both."""
        match self._rng.randrange(5):
            case 0:
                return self._valued(self._side(2), self._side(1))
            case 1:
                return self._over(self._side(2))
            case 2:
                return self._over(self._valued(self.rows(1), self.rows(1)))
            case 3:
                return self._valued(self.rows(1), self._over(self.rows(1)))
            case _:
                return self._totals(self._over(self._side(1)))

    def _valued(self, left: Rows, right: Rows) -> Rows:
        """Rows by what a subquery of others has for them, or with that."""
        rng = self._rng
        value = rng.choice(
            (
                "(SELECT max(r.v) FROM ({}) AS r WHERE r.k = l.k)",
                "(SELECT count(*) FROM ({}) AS r WHERE r.k = l.k)",
                "(SELECT sum(r.v) + l.v FROM ({}) AS r WHERE r.k = l.k AND r.p = l.p)",
                "(SELECT count(r.v) FROM ({}) AS r)",
                "(SELECT min(r.id) FROM ({}) AS r WHERE r.id > 3)",
                "(SELECT count(*) FROM ({}) AS r WHERE r.v < l.v)",
                "(SELECT max(r.id) + l.v FROM ({}) AS r WHERE r.k = l.k AND r.id <> l.id)",
            )
        )
        condition = rng.choice(
            (
                f"l.v > {value}",
                f"{value} IS NULL",
                f"coalesce({value}, 0) < 3",
                "l.v NOT IN (SELECT r.v FROM ({}) AS r)",
                "l.v NOT IN (SELECT r.v FROM ({}) AS r WHERE r.k = l.k)",
                "(l.v IN (SELECT r.v FROM ({}) AS r WHERE r.k = l.k) OR l.p)",
                "(l.v < 2 OR EXISTS (SELECT 1 FROM ({}) AS r WHERE r.k = l.k AND r.p))",
                "NOT (l.p AND EXISTS (SELECT 1 FROM ({}) AS r WHERE r.id = l.id))",
                "(l.p OR EXISTS (SELECT 1 FROM ({}) AS r WHERE r.k = l.k AND r.v > l.v))",
                "l.v NOT IN (SELECT r.v FROM ({}) AS r WHERE r.id > l.id)",
            )
        )
        others = ("l.id AS id", "l.k AS k", "l.p AS p", "l.ts AS ts", "l.te AS te")
        head = f"SELECT {{}}, {', '.join(others)} FROM ({{}}) AS l"
        if rng.random() < 0.4:
            v, where = both(f"CAST({value} AS INT) AS v", right.text), both("1 = 1")
        else:
            v, where = both("l.v AS v"), both(condition, right.text)
        if rng.random() < 0.4:
            where = both("{} AND {}", where, self._conditions("l.").temporal(1))
        inner = both(f"{head} WHERE {{}}", v, left.text, where)
        text = both(f"SELECT {ALL} FROM ({{}}) AS w", inner)
        return Rows(text, reads=left.reads | right.reads)

    def _over(self, inner: Rows) -> Rows:
        """Rows with window functions; equal rows are alike in any order."""
        rng = self._rng
        partition = rng.choice(("PARTITION BY k", "PARTITION BY p, k", ""))
        ways = [f"{partition} ORDER BY {self._order()}" for _ in range(2)]
        call = rng.choice(
            (
                f"sum(v) OVER ({partition})",
                f"count(*) OVER ({partition} ORDER BY ts)",
                f"max(v) OVER ({partition} ORDER BY ts DESC, id)",
                f"dense_rank() OVER ({partition} ORDER BY v)",
                f"row_number() OVER ({ways[0]})",
                f"lag(v) OVER ({ways[0]})",
                f"lead(id, 2, 0) OVER ({ways[0]})",
                f"sum(v) OVER ({ways[0]} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
                f"first_value(v) OVER ({ways[0]})",
                f"ntile(2) OVER ({ways[0]}) + row_number() OVER ({ways[1]})",
            )
        )
        text = both(
            f"SELECT id, k, CAST({call} AS INT) AS v, p, ts, te FROM ({{}}) AS o", inner.text
        )
        return Rows(text, reads=inner.reads)

    def _side(self, depth: int) -> Rows:
        """One side of a join."""
        return self.changing(depth - 1) if self._rng.random() < 0.4 else self.rows(1)

    def _conditions(self, *qualifiers: str) -> Conditions:
        return Conditions(self._rng, self._clock, qualifiers or ("",))

    def _source(self) -> Rows:
        name = self._rng.choice("ab")
        return Rows(both(f"SELECT {ALL} FROM {name}"), reads=frozenset(name))

    def _filtered(self, inner: Rows) -> Rows:
        where = self._conditions().temporal(self._rng.randint(1, 4))
        return Rows(
            both(f"SELECT {ALL} FROM ({{}}) AS f WHERE {{}}", inner.text, where),
            inner.reads,
        )

    def _inner(self, left: Rows, right: Rows) -> Rows:
        rng, sides = self._rng, self._conditions("l.", "r.")
        on = [self._same_key()]
        if rng.random() < 0.4:
            on.append(sides.temporal(rng.randint(1, 2)))
        if rng.random() < 0.3:
            on.append(sides.ordinary())
        where = " WHERE {}" if rng.random() < 0.5 else ""
        parts = [left.text, right.text, listed(on, " AND ")]
        parts += [sides.temporal(rng.randint(1, 2))] if where else []
        text = both(
            "SELECT l.id AS id, r.k AS k, l.v AS v, r.p AS p, l.ts AS ts, r.te AS te"
            f" FROM ({{}}) AS l JOIN ({{}}) AS r ON {{}}{where}",
            *parts,
        )
        return Rows(text, left.reads | right.reads)

    def _same_key(self) -> Pair:
        """What two sides have in common; of NULL there may be more than the columns have."""
        if self._rng.random() < 0.75:
            return both("l.k = r.k")
        return both("nullif(l.k, 'x') = nullif(r.k, 'x')")

    def _with_table(self, left: Rows) -> Rows:
        rng = self._rng
        kind = rng.choice(("JOIN", "LEFT JOIN"))
        on = "l.k = c.k" if rng.random() < 0.6 else "l.k = c.k AND l.v < c.v"
        where = Conditions(rng, self._clock, ("l.", "c.")).temporal(rng.randint(1, 2))
        text = both(
            "SELECT l.id AS id, l.k AS k, c.v AS v, l.p AS p, c.ts AS ts, l.te AS te"
            f" FROM ({{}}) AS l {kind} c ON {on} WHERE {{}}",
            left.text,
            where,
        )
        return Rows(text, reads=left.reads)

    def _outer(self, left: Rows, right: Rows) -> Rows:
        rng = self._rng
        kind = rng.choice(("LEFT", "RIGHT", "FULL"))
        on = [self._same_key()]
        if rng.random() < 0.4:
            on.append(self._conditions("l.", "r.").ordinary())
        where = " WHERE {}" if rng.random() < 0.3 else ""
        parts = [left.text, right.text, listed(on, " AND ")]
        parts += [self._conditions("l.", "r.").temporal(1)] if where else []
        text = both(
            "SELECT coalesce(l.id, r.id) AS id, l.k AS k, r.v AS v, l.p AS p, l.ts AS ts,"
            f" r.te AS te FROM ({{}}) AS l {kind} JOIN ({{}}) AS r ON {{}}{where}",
            *parts,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _semi(self, left: Rows, right: Rows) -> Rows:
        rng, sides = self._rng, self._conditions("l.", "r.")
        kind = rng.choice(("EXISTS", "NOT EXISTS", "IN", "SEMI", "ANTI"))
        extra = [sides.ordinary()] if rng.random() < 0.3 else []
        if kind in ("EXISTS", "NOT EXISTS") and rng.random() < 0.5:
            extra.append(sides.temporal(rng.randint(1, 2)))
        terms = listed([self._same_key(), *extra], " AND ")
        head = f"SELECT {', '.join('l.' + each for each in COLUMNS)} FROM ({{}}) AS l"
        exists = f"{head} WHERE {{}} (SELECT 1 FROM ({{}}) AS r WHERE {{}})"
        if kind in ("SEMI", "ANTI"):
            lite = exists.replace(
                "WHERE {}", "WHERE EXISTS" if kind == "SEMI" else "WHERE NOT EXISTS", 1
            )
            spark = f"{head} LEFT {kind} JOIN ({{}}) AS r ON {{}}"
            text = either(spark, lite, left.text, right.text, terms)
        elif kind == "IN":
            inside = self._conditions("r.").temporal(1)
            text = both(
                f"{head} WHERE l.v IN (SELECT r.v FROM ({{}}) AS r WHERE {{}})",
                left.text,
                right.text,
                inside,
            )
        else:
            text = both(exists, left.text, both(kind), right.text, terms)
        return Rows(text, reads=left.reads | right.reads)

    def _groups(self, inner: Rows) -> Rows:
        """Groups under the names of all columns."""
        rng = self._rng
        counted = self._maybe_filtered(both("count(*)"))
        having = ""
        parts = [counted, inner.text]
        if rng.random() < 0.5:
            having = " HAVING {}"
            parts.append(self._having())
        text = both(
            "SELECT CAST({} AS INT) AS id, k, CAST(sum(v) AS INT) AS v, bool_or(p) AS p,"
            f" min(ts) AS ts, max(te) AS te FROM ({{}}) AS g GROUP BY k{having}",
            *parts,
        )
        return Rows(text, reads=inner.reads)

    def _having(self) -> Pair:
        rng = self._rng
        match rng.randrange(3):
            case 0:
                return both(f"count(*) {rng.choice(('>', '<=', '<>'))} 1")
            case 1:
                return both(f"{{}} {rng.choice(('<', '>='))} max(te)", self._clock)
            case _:
                return both("(count(v) > 1 OR {} > min(ts))", self._clock)

    def _maybe_filtered(self, call: Pair) -> Pair:
        rng, form, parts = self._rng, "{}", [call]
        if rng.random() >= 0.6:
            conditions, form = self._conditions(), "{} FILTER (WHERE {})"
            is_temporal = rng.random() < 0.6
            parts.append(
                conditions.temporal(rng.randint(1, 2)) if is_temporal else conditions.ordinary()
            )
        empty = next((v for name, v in OF_NOTHING.items() if call.spark.startswith(name)), None)
        # SQLite does not ask a function of ours for what it is of no rows.
        lite = form if empty is None else f"coalesce({form}, {empty})"
        return either(form, lite, *parts)

    def _totals(self, inner: Rows) -> Rows:
        """Groups of any kind, or one group."""
        rng = self._rng
        calls = [self._maybe_filtered(each) for each in rng.sample(AGGREGATES, rng.randint(1, 4))]
        named = [both(f"{{}} AS c{number}", each) for number, each in enumerate(calls)]
        keys = rng.choice(("", "k", "k, p", "v % 2"))
        parts = [listed([*([both(keys)] if keys else []), *named]), inner.text]
        group = f" GROUP BY {keys}" if keys else ""
        text = both(f"SELECT {{}} FROM ({{}}) AS g{group}", *parts)
        return Rows(text, reads=inner.reads)

    def _distinct(self, inner: Rows) -> Rows:
        items = self._rng.choice(
            (ALL, "0 AS id, k, v, p, ts, te", "0 AS id, k, 1 AS v, p, ts, ts AS te")
        )
        text = both(f"SELECT DISTINCT {items} FROM ({{}}) AS d", inner.text)
        return Rows(text, reads=inner.reads)

    def _sets(self, left: Rows, right: Rows) -> Rows:
        rng = self._rng
        word = rng.choice(
            ("UNION", "INTERSECT", "EXCEPT", "UNION ALL", "INTERSECT ALL", "EXCEPT ALL")
        )
        items = rng.choice(
            (ALL, "0 AS id, k, v, p, ts, te", "0 AS id, k, v % 2 AS v, p, ts, ts AS te")
        )
        sides = [both(f"SELECT {items} FROM ({{}}) AS s", each.text) for each in (left, right)]
        spark = f"SELECT * FROM ({{}} {word} {{}}) AS s"
        lite = spark
        if word in ("INTERSECT ALL", "EXCEPT ALL"):
            number = f"*, row_number() OVER (PARTITION BY {ALL}) AS n"
            side = f"SELECT {number} FROM ({{}})"
            lite = f"SELECT {ALL} FROM ({side} {word.removesuffix(' ALL')} {side}) AS s"
        text = either(spark, lite, *sides)
        return Rows(text, reads=left.reads | right.reads)

    def _order(self) -> str:
        rng = self._rng
        columns = list(COLUMNS)
        rng.shuffle(columns)
        ways = ("", " DESC", " DESC NULLS FIRST", " NULLS LAST")
        return ", ".join(f"{each}{rng.choice(ways)}" for each in columns)

    def _first(self, inner: Rows) -> Rows:
        rng = self._rng
        limit = f"LIMIT {rng.randint(1, 3)}" + (
            f" OFFSET {rng.randint(1, 2)}" if rng.random() < 0.4 else ""
        )
        text = both(
            f"SELECT {ALL} FROM (SELECT {ALL} FROM ({{}}) AS o"
            f" ORDER BY {self._order()} {limit}) AS o",
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _ranked(self, inner: Rows) -> Rows:
        rng = self._rng
        kind = rng.choice(("row_number", "rank", "dense_rank"))
        order = self._order() if kind == "row_number" else rng.choice(("v", "v DESC", "ts, v DESC"))
        partition = rng.choice(("", "PARTITION BY k ", "PARTITION BY p, k "))
        number = f"{kind}() OVER ({partition}ORDER BY {order})"
        kept = f"n <= {rng.randint(1, 2)}" if rng.random() < 0.7 else "n = 1"
        v = "v" if kind == "row_number" or rng.random() < 0.5 else "n"
        text = both(
            f"SELECT id, k, {v} AS v, p, ts, te FROM"
            f" (SELECT *, {number} AS n FROM ({{}}) AS q) AS q WHERE {kept}",
            inner.text,
        )
        return Rows(text, reads=inner.reads)


def _plain(rows: Rows) -> Pair:
    """A side of a set operation, without parentheses, which SQLite does not know there."""
    return both(f"SELECT {ALL} FROM ({{}}) AS s", rows.text)
