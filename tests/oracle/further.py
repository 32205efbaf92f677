"""Random queries over tables that count from the start, and of PIVOT, UNPIVOT and IN of tuples."""

from __future__ import annotations

from oracle.dialects import Pair, both, either
from oracle.queries import COLUMNS, Queries, Rows

ALL = ", ".join(COLUMNS)

CORRELATED = (
    "r.k = l.k",
    "r.k = l.k AND r.id <> l.id",
    "r.k = l.k AND r.v > l.v",
    "r.k <=> l.k",
    "r.v < l.v",
    "r.id = l.id AND r.p",
    "r.k = l.k OR r.v = l.v",
    "r.id >= l.v AND r.k = l.k",
)
"""How a subquery over `r` sees the row `l` around it."""


class FurtherQueries(Queries):
    """Shapes with subqueries that `Queries` does not have."""

    def _correlated(self) -> Pair:
        condition = self._rng.choice(CORRELATED)
        return either(condition, condition.replace("<=>", "IS NOT DISTINCT FROM"))

    def _order_of(self, qualifier: str) -> str:
        """All columns of a relation, so that rows that tie are equal."""
        ways = [each.split(" ", 1) for each in self._order().split(", ")]
        return ", ".join(" ".join([qualifier + name, *way]) for name, *way in ways)

    def _subquery(self, right: Rows) -> Pair:
        """A value or a truth of other rows, as a condition."""
        where = self._correlated()
        first = f"ORDER BY {self._order_of('r.')} LIMIT 1"
        return both(
            self._rng.choice(
                (
                    "l.v > (SELECT avg(r.v) FROM ({}) AS r WHERE {})",
                    "(SELECT count(*) FROM ({}) AS r WHERE {}) = 0",
                    "(SELECT min(r.v) FROM ({}) AS r WHERE {}) IS NOT NULL",
                    f"l.v <= (SELECT r.v FROM ({{}}) AS r WHERE {{}} {first})",
                    "EXISTS (SELECT 1 FROM ({}) AS r WHERE {})",
                    "NOT EXISTS (SELECT r.v FROM ({}) AS r WHERE {})",
                    "l.v IN (SELECT r.v FROM ({}) AS r WHERE {})",
                    "l.v NOT IN (SELECT r.v FROM ({}) AS r WHERE {})",
                    "l.v + 1 IN (SELECT r.v FROM ({}) AS r WHERE {})",
                    "coalesce(l.v, 0) NOT IN (SELECT r.v FROM ({}) AS r WHERE {} AND r.v > -1)",
                )
            ),
            right.text,
            where,
        )

    def _kept_table(self, right: Rows) -> Rows:
        """Rows of the table, whether or not others ask for them."""
        rng = self._rng
        if rng.random() < 0.5:
            text = both(f"SELECT {ALL} FROM c AS l WHERE {{}}", self._subquery(right))
            return Rows(text, reads=right.reads)
        kind = rng.choice(("LEFT", "FULL", "RIGHT"))
        sides = ("({}) AS r", "c AS l") if kind == "RIGHT" else ("c AS l", "({}) AS r")
        text = both(
            "SELECT l.id AS id, l.k AS k, r.v AS v, l.p AS p, l.ts AS ts, r.te AS te"
            f" FROM {sides[0]} {kind} JOIN {sides[1]} ON {{}}",
            right.text,
            self._correlated(),
        )
        return Rows(text, reads=right.reads)

    def _none_of_several(self, left: Rows, right: Rows) -> Rows:
        """Rows whose two values are none of others, and cannot be for a NULL among those."""
        where = self._correlated()
        may_be = " AND ".join(f"(r.{n} = l.{n} OR r.{n} IS NULL OR l.{n} IS NULL)" for n in "kv")
        text = either(
            f"SELECT {ALL} FROM ({{}}) AS l WHERE (l.k, l.v) NOT IN"
            " (SELECT r.k, r.v FROM ({}) AS r WHERE {})",
            f"SELECT {ALL} FROM ({{}}) AS l WHERE NOT EXISTS"
            f" (SELECT 1 FROM ({{}}) AS r WHERE {may_be} AND ({{}}))",
            left.text,
            right.text,
            where,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _pivoted(self, inner: Rows) -> Rows:
        """Groups with columns for some values."""
        calls = ("count(id)", "sum(id)", "min(ts)")
        filtered = {
            f"{name}_{short}": f"{call} FILTER (WHERE v = {value})"
            for name, value in (("one", 1), ("two", 2))
            for short, call in zip("nst", calls, strict=True)
        }
        items = "CAST({one_n} AS INT) AS id, k, CAST({two_s} AS INT) AS v, p, {one_t} AS ts"
        items += ", {two_t} AS te"
        named = ", ".join(f"{call} AS {n}" for n, call in zip("nst", calls, strict=True))
        text = either(
            f"SELECT {items.format(**{name: name for name in filtered})} FROM"
            " (SELECT k, p, v, id, ts FROM ({}) AS g)"
            f" PIVOT ({named} FOR v IN (1 AS one, 2 AS two))",
            f"SELECT {items.format(**filtered)} FROM ({{}}) AS g GROUP BY k, p",
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _unpivoted(self, inner: Rows) -> Rows:
        """Rows once for each of two values."""
        text = either(
            "SELECT id, k, val AS v, p, ts, te FROM"
            f" (SELECT {ALL}, id + 1 AS w FROM ({{}}) AS g) UNPIVOT (val FOR name IN (v, w))",
            f"WITH g AS ({{}}) SELECT {ALL} FROM g WHERE v IS NOT NULL UNION ALL"
            " SELECT id, k, id + 1 AS v, p, ts, te FROM g WHERE id IS NOT NULL",
            inner.text,
        )
        return Rows(text, reads=inner.reads)
