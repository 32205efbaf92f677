"""Queries at random, with what stands beside each other in real use; not all are accepted."""

from __future__ import annotations

from random import Random

COLUMNS = (
    "id INT, v INT, n STRING, d DECIMAL(10, 2), arr ARRAY<INT>, st STRUCT<p: INT, q: STRING>,"
    " m MAP<STRING, INT>, bin BINARY, day DATE, `odd name` DOUBLE"
)
WATERMARKED = f"{COLUMNS}, ts TIMESTAMP, WATERMARK FOR ts AS ts"
DECLARED = "\n".join(
    [
        *(f"CREATE SOURCE {name} ({WATERMARKED});" for name in ("a", "b", "`c ``1`")),
        *(f"CREATE TABLE {name} ({COLUMNS}, ts TIMESTAMP);" for name in ("t", "`u v`")),
        "CREATE VIEW w AS SELECT * FROM a WHERE v > 0;",
    ]
)
STREAMS = ("a", "b", "`c ``1`", "w")
TABLES = ("t", "`u v`")
KEYS = ("id", "n", "d", "arr", "st", "st.p", "bin", "day", "`odd name`", "upper(n)", "v + 1")
RANGE = "{1}.ts BETWEEN {0}.ts AND {0}.ts + INTERVAL 5 SECONDS"
CLOCKS = (
    "{}.ts + INTERVAL 5 SECONDS <= WATERMARK_TS()",
    "WATERMARK_TS() < {}.ts + INTERVAL 1 MINUTE",
)


class Writer:
    """Writes queries whose relations are called r0, r1 and so on."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._number = 0

    def query(self) -> str:
        """A query of some shape, with or without EMIT ON WINDOW CLOSE."""
        shape = self._rng.choice((self._rows, self._rows, self._groups, self._set, self._over))
        return f"{shape()}{' EMIT ON WINDOW CLOSE' if self._chance(0.3) else ''};"

    def _chance(self, often: float) -> bool:
        return self._rng.random() < often

    def _relation(self) -> tuple[str, str]:
        """A relation and its alias."""
        alias = f"r{self._number}"
        self._number += 1
        stream = self._rng.choice(STREAMS)
        plain = (*STREAMS, *STREAMS, *TABLES)
        made = (
            f"(SELECT * FROM {stream} AS {alias} WHERE {self._rng.choice(CLOCKS).format(alias)})",
            f"(SELECT DISTINCT id, n, arr, st, ts FROM {stream})",
            f"(SELECT id, st, max(v) AS v, max(ts) AS ts FROM {stream} GROUP BY id, st)",
            f"TUMBLE({stream}, ts, INTERVAL 5 SECONDS)",
            f"(SELECT id, v, n, ts FROM {stream} ORDER BY v DESC, 1 LIMIT 3)",
        )
        return f"{self._rng.choice(plain if self._chance(0.7) else made)} AS {alias}", alias

    def _from(self) -> tuple[str, list[str], list[str]]:
        """FROM, the aliases that it offers, and what WHERE is to say of them."""
        text, alias = self._relation()
        aliases, where = [alias], list[str]()
        for _ in range(self._rng.choice((0, 1, 1, 2))):
            other, name = self._relation()
            key = self._rng.choice(KEYS)
            terms = [f"{self._of(self._rng.choice(aliases), key)} = {self._of(name, key)}"]
            if self._chance(0.4):
                terms.append(RANGE.format(self._rng.choice(aliases), name))
            if self._chance(0.2):
                terms = [f"({terms[0]} AND {name}.v > 1 OR {terms[0]} AND {name}.id = 3)"]
            on = f" ON {' AND '.join(terms)}"
            way = self._rng.randrange(6)
            if way == 0:
                text += f", {other}"
                where += terms
            elif way == 1:
                text += f" {self._rng.choice(('CROSS JOIN', 'JOIN', 'INNER JOIN'))} {other}"
                where += terms
            elif way == 2:
                text += f" {self._rng.choice(('', 'LEFT ', 'FULL '))}JOIN {other} USING (id)"
            elif way == 3:
                text += f" {self._rng.choice(('LEFT SEMI', 'LEFT ANTI'))} JOIN {other}{on}"
                continue
            else:
                text += f" {self._rng.choice(('', '', 'LEFT ', 'RIGHT ', 'FULL '))}JOIN {other}{on}"
            aliases.append(name)
        return text, aliases, where

    def _of(self, alias: str, key: str) -> str:
        if key.startswith("upper("):
            return f"upper({alias}.n)"
        return f"{alias}.{key}"

    def _condition(self, alias: str) -> str:
        inner = self._rng.choice((*STREAMS, *TABLES))
        deeper = self._rng.choice((*STREAMS, *TABLES))
        key = self._rng.choice(KEYS[:-2])
        one = self._rng.choice(("", "NOT "))
        return self._rng.choice(
            (
                f"{alias}.v > 1",
                f"{alias}.n LIKE 'x%' AND {alias}.arr[0] = 1",
                self._rng.choice(CLOCKS).format(alias),
                self._rng.choice(CLOCKS).format(alias),
                f"{alias}.id IN (SELECT id FROM {inner} AS i WHERE i.v > 0)",
                f"{one}EXISTS (SELECT 1 FROM {inner} AS i WHERE i.{key} = {alias}.{key})",
                f"{one}EXISTS (SELECT 1 FROM {inner} AS i WHERE i.id = {alias}.id AND i.v IN"
                f" (SELECT v FROM {deeper} AS j WHERE j.n = i.n))",
                f"EXISTS (SELECT 1 FROM {inner} AS i, {deeper} AS j WHERE i.id = j.id AND"
                f" j.v = {alias}.v)",
                f"{alias}.v > (SELECT max(v) FROM {inner})",
                f"({alias}.id, {alias}.n) IN (SELECT id, n FROM {inner})",
                f"({alias}.v > 1 OR {alias}.id IN (SELECT id FROM {inner}))",
            )
        )

    def _where(self, aliases: list[str], terms: list[str]) -> str:
        if self._chance(0.5):
            terms = [*terms, self._condition(self._rng.choice(aliases))]
        return f" WHERE {' AND '.join(terms)}" if terms else ""

    def _item(self, alias: str) -> str:
        return self._rng.choice(
            (
                f"{alias}.id",
                f"{alias}.v + 1 AS more",
                f"{alias}.arr, {alias}.st",
                f"{alias}.m",
                f"{alias}.`odd name` AS `an odd, name`",
                f"{alias}.st.q",
                f"transform({alias}.arr, x -> x + 1) AS changed",
                f"upper({alias}.n)",
                f"explode({alias}.arr) AS each_one",
                f"(SELECT max(v) FROM t WHERE t.id = {alias}.id) AS most",
                f"{alias}.ts",
            )
        )

    def _rows(self) -> str:
        text, aliases, where = self._from()
        items = "*"
        if self._chance(0.8):
            items = ", ".join(
                {
                    self._item(self._rng.choice(aliases)): None
                    for _ in range(self._rng.randint(1, 3))
                }
            )
        distinct = "DISTINCT " if self._chance(0.15) else ""
        tail = " ORDER BY 1 DESC LIMIT 2" if self._chance(0.1) else ""
        return f"SELECT {distinct}{items} FROM {text}{self._where(aliases, where)}{tail}"

    def _groups(self) -> str:
        text, aliases, where = self._from()
        alias = self._rng.choice(aliases)
        keys = [f"{alias}.{each}" for each in self._rng.sample(("id", "n", "st", "arr", "ts"), 2)]
        call = self._rng.choice(
            ("count(*)", "sum({0}.v)", "max({0}.st)", "count(DISTINCT {0}.arr)", "avg({0}.d)",
             "collect_list({0}.m)", "max_by({0}.n, {0}.v)")
        ).format(self._rng.choice(aliases))  # fmt: skip
        having = self._rng.choice(("", "", f" HAVING {call} IS NOT NULL", " HAVING count(*) > 1"))
        where_sql = self._where(aliases, where)
        if self._chance(0.25):
            return f"SELECT {call} AS total FROM {text}{where_sql}{having}"
        by = self._rng.choice((", ".join(keys), "1, 2"))
        return (
            f"SELECT {', '.join(keys)}, {call} AS `a total` FROM {text}{where_sql}"
            f" GROUP BY {by}{having}"
        )

    def _set(self) -> str:
        one, other = self._rng.sample(STREAMS, 2)
        items, others = self._rng.choice(
            (("id AS x, n", "v, n"), ("ts, d", "ts, d"), ("arr", "arr"), ("m", "m"), ("v", "d"))
        )
        word = self._rng.choice(("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL"))
        return f"SELECT {items} FROM {one} {word} SELECT {others} FROM {other}"

    def _over(self) -> str:
        text, alias = self._relation()
        call = self._rng.choice(("row_number()", "rank()", f"lag({alias}.v)", f"sum({alias}.v)"))
        by = self._rng.choice(("id", "st", "arr", "upper(n)"))
        order = self._rng.choice(("ts", "v DESC", "ts, v"))
        over = f"OVER (PARTITION BY {by} ORDER BY {order})"
        tail = " QUALIFY place <= 2" if call in ("row_number()", "rank()") else ""
        value = f"{call} {over}" if tail else f"coalesce({call} {over}, 0) + 1"
        return f"SELECT {alias}.id, {value} AS place FROM {text}{tail}"
