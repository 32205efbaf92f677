"""Random queries over the rest of the language, in the dialects of Spark and of DuckDB."""

from __future__ import annotations

from oracle.dialects import both, either, listed
from oracle.frames import framed
from oracle.further import FurtherQueries
from oracle.queries import COLUMNS, Rows

ALL = ", ".join(COLUMNS)
OTHERS = "l.k AS k, l.v AS v, l.p AS p, l.ts AS ts, l.te AS te"

AGGREGATES = (
    both("count(*)"),
    both("count(DISTINCT v)"),
    both("sum(v)"),
    both("max(v)"),
    both("min(id)"),
    either("percentile(v, 0.5)", "quantile_cont(v, 0.5)"),
    either("percentile(id, 0.25)", "quantile_cont(id, 0.25)"),
    both("median(v)"),
    both("bit_xor(id)"),
    both("bit_or(v)"),
    both("covar_pop(v, id)"),
    both("regr_count(v, id)"),
    either("listagg(k, ',') WITHIN GROUP (ORDER BY k)", "string_agg(k, ',' ORDER BY k)"),
    either("string_agg(DISTINCT k, '-')", "string_agg(DISTINCT k, '-' ORDER BY k)"),
    either("percentile_cont(0.5) WITHIN GROUP (ORDER BY v)", "quantile_cont(v, 0.5)"),
    either("percentile_disc(0.5) WITHIN GROUP (ORDER BY v)", "quantile_disc(v, 0.5)"),
    both("bool_and(p)"),
    either("try_sum(v)", "sum(v)"),
    either("any_value(v)", "min(v)"),
    either("array_join(sort_array(collect_set(k)), '')", "string_agg(DISTINCT k, '' ORDER BY k)"),
    either("stddev_pop(v)", "stddev_pop(v)"),
)


class Language(FurtherQueries):
    """Makes queries of shapes that `Queries` does not have, over and under those that it has."""

    def whole(self) -> Rows:
        """A whole query."""
        rng = self._rng
        inner = self._shape(rng.choice((1, 1, 2)))
        return self._totals_of(inner) if rng.random() < 0.4 else inner

    def changing(self, depth: int) -> Rows:
        """Rows that come and go, also by shapes of this class."""
        if depth > 0 and self._rng.random() < 0.4:
            return self._shape(depth)
        return super().changing(depth)

    def _shape(self, depth: int) -> Rows:
        one, other = self._side(depth), self._side(1)
        shapes = (
            lambda: self._lateral(one, other),
            lambda: self._lateral(one, other),
            lambda: self._asof(one, other),
            lambda: self._sets_of_groups(one),
            lambda: self._framed(one),
            lambda: self._nested(one, other),
            lambda: self._nested(one, other),
            lambda: self._in_having(one, other),
            lambda: self._wide_join(one, other),
            lambda: self._of_arrays(one),
            lambda: self._over_groups(one),
            lambda: self._in_on(one, other),
            lambda: self._of_several(one, other),
            lambda: self._of_legs(one, other),
            lambda: self._behind_lateral(one, other),
            lambda: self._without_from(one, other),
            lambda: self._kept_table(other),
            lambda: self._kept_table(other),
            lambda: self._none_of_several(one, other),
            lambda: self._pivoted(one),
            lambda: self._unpivoted(one),
        )
        return self._rng.choice(shapes)()

    def _lateral(self, left: Rows, right: Rows) -> Rows:
        """Rows with those that a subquery in FROM has for each of them."""
        rng = self._rng
        inner = rng.choice(
            (
                "SELECT count(*) AS n FROM ({}) AS r WHERE {}",
                "SELECT sum(r.v) AS n FROM ({}) AS r WHERE {}",
                "SELECT max(r.id) + 1 AS n FROM ({}) AS r WHERE {}",
                "SELECT r.v AS n FROM ({}) AS r WHERE {}",
                "SELECT DISTINCT r.v AS n FROM ({}) AS r WHERE {}",
                "SELECT count(r.v) AS n FROM ({}) AS r WHERE {} GROUP BY r.p",
                "SELECT r.id AS n FROM ({}) AS r WHERE {} "
                f"ORDER BY {self._order_of('r.')} LIMIT 2",
            )
        )
        join = rng.choice(
            (
                ", LATERAL ({}) AS t",
                " LEFT JOIN LATERAL ({}) AS t ON TRUE",
                " JOIN LATERAL ({}) AS t ON TRUE",
            )
        )
        text = both(
            f"SELECT CAST(t.n AS INT) AS id, {OTHERS} FROM ({{}}) AS l{join}",
            left.text,
            both(inner, right.text, self._correlated()),
        )
        return Rows(text, reads=left.reads | right.reads)

    def _asof(self, left: Rows, right: Rows) -> Rows:
        """Rows with the last one of others before them, of which there is one at a time."""
        rng = self._rng
        kind, op = rng.choice(("", "LEFT ")), rng.choice((">=", ">", "<=", "<"))
        one_each = both(
            "SELECT k, ts, max(v) AS v, max(te) AS te, bool_or(p) AS p FROM ({}) AS g"
            " WHERE ts IS NOT NULL GROUP BY k, ts",
            right.text,
        )
        rows = both("SELECT * FROM ({}) AS g WHERE ts IS NOT NULL", left.text)
        head = (
            "SELECT l.id AS id, l.k AS k, r.v AS v, r.p AS p, r.ts AS ts, l.te AS te FROM ({}) AS l"
        )
        text = either(
            f"{head} ASOF {kind}JOIN ({{}}) AS r MATCH_CONDITION (l.ts {op} r.ts) ON l.k = r.k",
            f"{head} ASOF {kind}JOIN ({{}}) AS r ON l.k = r.k AND l.ts {op} r.ts",
            rows,
            one_each,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _sets_of_groups(self, inner: Rows) -> Rows:
        """Several groupings at once; of no rows Spark has not even a total."""
        by = self._rng.choice((
            "ROLLUP(k, p)", "CUBE(k, p)", "GROUPING SETS ((k), (p))",
            "GROUPING SETS ((k, p), (k), ())", "k, ROLLUP(p)", "GROUPING SETS ((k, p), (p), (p))",
        ))  # fmt: skip
        text = both(
            "SELECT CAST(count(*) AS INT) AS id, k, CAST(sum(v) + 10 * grouping(k) AS INT) AS v, p,"
            " min(ts) AS ts, max(te) AS te FROM ({})"
            f" AS g GROUP BY {by} HAVING count(*) > 0",
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _framed(self, inner: Rows) -> Rows:
        """Rows with a window function over a frame."""
        text = both(
            "SELECT id, k, CAST({} AS INT) AS v, p, ts, te FROM ({}) AS o",
            framed(self._rng, self._order()),
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _over_groups(self, inner: Rows) -> Rows:
        """Groups that are numbered by their totals."""
        rng = self._rng
        call = rng.choice((
            "rank() OVER (ORDER BY sum(v) DESC)", "sum(sum(v)) OVER (ORDER BY k)",
            "count(*) OVER ()", "max(count(*)) OVER (PARTITION BY p)",
            "dense_rank() OVER (PARTITION BY p ORDER BY count(*))",
        ))  # fmt: skip
        text = both(
            f"SELECT CAST(count(*) AS INT) AS id, k, CAST({call} AS INT) AS v, p, min(ts) AS ts,"
            " max(te) AS te FROM ({}) AS g GROUP BY k, p",
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _nested(self, left: Rows, right: Rows) -> Rows:
        """Rows by conditions of subqueries, below OR, NOT and CASE, or with what these say."""
        rng, asked = self._rng, [self._subquery(right) for _ in range(2)]
        condition = both(
            rng.choice((
                "{0}", "NOT ({0})", "({0} OR l.p)", "({0} OR {1})", "(NOT ({0}) AND {1})",
                "CASE WHEN l.p THEN {0} ELSE {1} END", "coalesce({0}, l.p)",
                "(l.p AND {0}) OR (NOT l.p AND {1})", "({0}) IS NOT TRUE",
            )).replace("{0}", "{}", 1).replace("{0}", "{}").replace("{1}", "{}"),
            *asked,
        )  # fmt: skip
        if rng.random() < 0.3:
            v = both("CASE WHEN {} THEN 1 ELSE l.v END", condition)
            text = both(
                "SELECT l.id AS id, l.k AS k, {} AS v, l.p AS p, l.ts AS ts, l.te AS te"
                " FROM ({}) AS l", v, left.text,
            )  # fmt: skip
        else:
            text = both(f"SELECT {ALL} FROM ({{}}) AS l WHERE {{}}", left.text, condition)
        return Rows(text, reads=left.reads | right.reads)

    def _in_having(self, left: Rows, right: Rows) -> Rows:
        """Groups by what a subquery has for them."""
        value = self._rng.choice((
            "count(*) >= (SELECT count(*) FROM ({}) AS r WHERE r.k = l.k)",
            "sum(l.v) > (SELECT avg(r.v) FROM ({}) AS r)",
            "l.k IN (SELECT r.k FROM ({}) AS r)",
            "NOT EXISTS (SELECT 1 FROM ({}) AS r WHERE r.k = l.k AND r.p)",
        ))  # fmt: skip
        text = both(
            "SELECT CAST(count(*) AS INT) AS id, l.k AS k, CAST(sum(l.v) AS INT) AS v,"
            " bool_or(l.p) AS p, min(l.ts) AS ts, max(l.te) AS te FROM ({}) AS l GROUP BY l.k"
            f" HAVING {value}",
            left.text,
            right.text,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _in_on(self, left: Rows, right: Rows) -> Rows:
        """A join whose ON asks a subquery."""
        value = self._rng.choice(
            (
                "r.v >= (SELECT avg(s.v) FROM ({}) AS s)",
                "r.k IN (SELECT s.k FROM ({}) AS s WHERE s.p)",
                "EXISTS (SELECT 1 FROM ({}) AS s WHERE s.k = r.k AND s.v > l.v)",
                "(l.p OR NOT EXISTS (SELECT 1 FROM ({}) AS s WHERE s.id = l.id))",
            )
        )
        text = both(
            "SELECT l.id AS id, l.k AS k, r.v AS v, r.p AS p, l.ts AS ts, r.te AS te"
            f" FROM ({{}}) AS l JOIN ({{}}) AS r ON l.k = r.k AND {value}",
            left.text,
            right.text,
            right.text,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _of_several(self, left: Rows, right: Rows) -> Rows:
        """Rows whose two values are among those of others, or that have another reason."""
        where = self._correlated()
        other = self._rng.choice(("l.p", "l.v IS NULL", "l.id > 3"))
        head = f"SELECT {ALL} FROM ({{}}) AS l WHERE {other} OR "
        text = either(
            f"{head}(l.k, l.v) IN (SELECT r.k, r.v FROM ({{}}) AS r WHERE {{}})",
            f"{head}EXISTS (SELECT 1 FROM ({{}}) AS r WHERE r.k = l.k AND r.v = l.v AND ({{}}))",
            left.text,
            right.text,
            where,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _of_legs(self, left: Rows, right: Rows) -> Rows:
        """Rows by a UNION of others, each query of which names columns of theirs."""
        rng = self._rng
        value, before = rng.choice((("1", "EXISTS"), ("r.v", "l.v IN"), ("r.v", "l.v NOT IN")))
        word = rng.choice(("UNION", "UNION ALL"))
        leg = f"SELECT {value} FROM ({{}}) AS r WHERE {{}}"
        condition = f"{before} ({leg} {word} {leg})"
        condition = rng.choice((condition, f"NOT ({condition})", f"(l.p OR {condition})"))
        text = both(
            f"SELECT {ALL} FROM ({{}}) AS l WHERE {condition}",
            left.text,
            *(right.text, self._correlated()),
            *(self._source().text, self._correlated()),
        )
        return Rows(text, reads=left.reads | right.reads | frozenset("ab"))

    def _behind_lateral(self, left: Rows, right: Rows) -> Rows:
        """A relation behind a LATERAL, which has nothing to do with that."""
        kind = self._rng.choice(("JOIN", "LEFT JOIN"))
        text = both(
            "SELECT t.n AS id, l.k AS k, c.v AS v, l.p AS p, l.ts AS ts, c.te AS te"
            " FROM ({}) AS l CROSS JOIN LATERAL (SELECT CAST(count(*) AS INT) AS n FROM ({}) AS r"
            f" WHERE {{}}) AS t {kind} ({{}}) AS c ON c.k = l.k",
            left.text,
            right.text,
            self._correlated(),
            self._source().text,
        )
        return Rows(text, reads=left.reads | right.reads | frozenset("ab"))

    def _without_from(self, left: Rows, right: Rows) -> Rows:
        """One row of values of others."""
        text = both(
            "SELECT (SELECT CAST(count(*) AS INT) FROM ({}) AS l) AS id,"
            " (SELECT max(r.k) FROM ({}) AS r) AS k, 7 AS v,"
            " EXISTS (SELECT 1 FROM ({}) AS l WHERE l.p) AS p,"
            " (SELECT min(l.ts) FROM ({}) AS l) AS ts, (SELECT max(r.te) FROM ({}) AS r) AS te",
            left.text,
            right.text,
            left.text,
            left.text,
            right.text,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _wide_join(self, left: Rows, right: Rows) -> Rows:
        """Joins by more or less than a key, and of three."""
        rng = self._rng
        kind = rng.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        on = rng.choice((
            "l.v < r.v", "l.k = r.k OR l.v = r.v", "(l.k = r.k AND l.p) OR (l.k = r.k AND r.v > 1)",
            "l.k = r.k AND l.v = r.v", "l.k <=> r.k AND l.ts <= r.ts", "l.id BETWEEN r.v AND r.id",
            "l.p = r.p AND l.k = r.k AND l.v + r.v > 2",
        ))  # fmt: skip
        text = either(
            f"SELECT r.id AS id, l.k AS k, l.v AS v, r.p AS p, l.ts AS ts, r.te AS te"
            f" FROM ({{}}) AS l {kind} ({{}}) AS r ON {on}",
            "SELECT r.id AS id, l.k AS k, l.v AS v, r.p AS p, l.ts AS ts, r.te AS te"
            f" FROM ({{}}) AS l {kind} ({{}}) AS r"
            f" ON {on.replace('<=>', 'IS NOT DISTINCT FROM')}",
            left.text,
            right.text,
        )
        return Rows(text, reads=left.reads | right.reads)

    def _of_arrays(self, inner: Rows) -> Rows:
        """A row for each item of an array, by LATERAL VIEW."""
        items, outer = "v, id, v + 1", self._rng.choice(("", "OUTER "))
        filtered = self._rng.random() < 0.5
        array = f"filter(array({items}), x -> x > 1)" if filtered else f"array({items})"
        unfolded = (
            f"unnest(list_filter([{items}], lambda x: x > 1))" if filtered else f"unnest([{items}])"
        )
        lite = f"SELECT id, k, p, ts, te, {unfolded} AS item FROM ({{}}) AS s"
        if outer:
            empty = f"len(list_filter([{items}], lambda x: x > 1)) = 0" if filtered else "FALSE"
            lite = (
                f"WITH l AS ({{}}) SELECT id, k, p, ts, te, {unfolded} AS item FROM l"
                f" UNION ALL SELECT id, k, p, ts, te, NULL FROM l WHERE {empty}"
            )
        text = either(
            "SELECT id, k, item AS v, p, ts, te FROM ({}) AS l"
            f" LATERAL VIEW {outer}explode({array}) t AS item",
            f"SELECT id, k, item AS v, p, ts, te FROM ({lite}) AS l",
            inner.text,
        )
        return Rows(text, reads=inner.reads)

    def _totals_of(self, inner: Rows) -> Rows:
        """Aggregates of all kinds, of groups or of all rows."""
        rng = self._rng
        calls = rng.sample(AGGREGATES, rng.randint(1, 4))
        named = [both(f"{{}} AS c{number}", each) for number, each in enumerate(calls)]
        keys = rng.choice(("", "k", "k, p", "v % 2"))
        parts = [listed([*([both(keys)] if keys else []), *named]), inner.text]
        group = f" GROUP BY {keys}" if keys else ""
        return Rows(both(f"SELECT {{}} FROM ({{}}) AS g{group}", *parts), reads=inner.reads)
