"""Whatever is written, a compile ends in a job that Python takes or in errors of the query."""

# ruff: noqa: E501 - one form of the language a line

from __future__ import annotations

import ast
import random

import pytest
from compiled import ITEMS, ORDERS

from compiler import CompileError, compile_script
from compiler.diagnostics import CODES, render_all
from compiler.source import SourceText

RIGHT = ["id", "name", "ts", "day", "place.at", "tags[0]"]
WRONG = ["o.id", "orders.ts", "items.sku", "x", "k", "w", "WATERMARK_TS(o)", "mz_now()"]
CLOCKS = ["WATERMARK_TS()", "WATERMARK_TS() - INTERVAL 1 HOUR"]


class Writer:
    """Queries at random; wild ones are wrong in some place, most of the others are not."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = RIGHT + (WRONG if seed % 3 == 0 else [])
        self._is_wild = seed % 3 == 0

    def one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def value(self, depth: int) -> str:
        if depth <= 0:
            return self.one(
                *self._names, "1", "'a'", "NULL", "TRUE", "INTERVAL 1 DAY", "DATE'2024-1-1'"
            )
        left, right = self.value(depth - 1), self.value(depth - 1)
        return self.one(
            f"({left} {self.one('+', '-', '*', '||')} {right})",
            f"CASE WHEN {self.condition(depth - 1)} THEN {left} ELSE {right} END",
            f"{self.one('coalesce', 'greatest', 'concat', *['count', 'nosuch'] * self._is_wild)}({left}, {right})",
            f"CAST({left} AS {self.one('DATE', 'STRING', 'TIMESTAMP', 'STRUCT<a: INT>')})",
            f"date_trunc('{self.one('HOUR', 'hour', 'EON')}', {left})",
            f"(SELECT {self.one('max(id)', left)} FROM {self.one('items', *['orders'] * self._is_wild)})",
            f"named_struct('a', {left}).a",
            f"transform(tags, t -> {right})",
            left,
        )

    def condition(self, depth: int) -> str:
        if not self._is_wild and self.one("bound", "other") == "bound":
            return f"{self.one('ts', 'day', 'place.at')} {self.one('<', '<=')} {self.one(*CLOCKS)}"
        if depth <= 0:
            return f"{self.value(0)} {self.one('=', '<', '<=', '>', '>=', '<>', '<=>')} {self.value(0)}"
        left, right = self.condition(depth - 1), self.condition(depth - 1)
        return self.one(
            f"({left} AND {right})",
            f"({left} OR {right})",
            f"NOT {left}",
            f"({left}) IS {self.one('', 'NOT ')}{self.one('TRUE', 'NULL', 'FALSE')}",
            f"{self.value(1)} BETWEEN {self.value(0)} AND {self.value(1)}",
            f"{self.value(0)} IN ({self.value(0)}, {self.value(1)})",
            f"{self.value(0)} IN (SELECT {self.one('id', 'sku')} FROM items)",
            f"EXISTS ({self.query(0) if self._is_wild else 'SELECT 1 FROM items'})",
            f"IF({left}, {right}, {self.condition(0)})",
            f"{self.value(1)} {self.one('<', '>=', 'LIKE', '=')} {self.value(1)}",
        )

    def relation(self, depth: int) -> str:
        if not self._is_wild:
            plain = ["orders", "orders o", "(SELECT * FROM orders) AS o"]
            return self.one(*plain, *([f"({self.query(depth - 1)})"] if depth > 0 else []))
        if depth <= 0:
            return self.one(
                "orders o", "orders", "items", "items i", "v", "c", "nowhere", "v AS o (k, w)"
            )
        inner = self.query(depth - 1)
        return self.one(
            f"({inner})",
            f"({inner}) AS o",
            f"({inner}) AS s (k, w)",
            f"{self.relation(0)} {self.one('', 'LEFT ', 'FULL ', 'LEFT ANTI ')}JOIN {self.relation(depth - 1)}"
            f" {self.one('USING (id)', 'ON ' + self.condition(1))}",
            f"{self.relation(0)}, {self.relation(depth - 1)}",
            f"TUMBLE({self.relation(0)}, ts, INTERVAL 1 MINUTE)",
        )

    def query(self, depth: int) -> str:
        items = ", ".join(self.item(depth) for _ in range(self._random.randint(1, 3)))
        where = self.one("", f" WHERE {self.condition(depth)}")
        tail = self.one(
            "",
            *[""] * 20 * (not self._is_wild),
            " GROUP BY id",
            " ORDER BY id",
            " LIMIT 3",
            " EMIT ON WINDOW CLOSE",
        )
        select = f"SELECT {self.one('', 'DISTINCT ') if self._is_wild else ''}{items} FROM {self.relation(depth)}{where}{tail}"
        if depth <= 0:
            return select
        return self.one(
            select,
            select,
            f"WITH c AS ({self.query(depth - 1)}) {select}",
            f"{select} {self.one('UNION ALL', *['EXCEPT', 'UNION'] * self._is_wild)} {self.query(depth - 1)}",
        )

    def item(self, depth: int) -> str:
        alias = self.one("", " AS x", " AS w", " AS `a b`", " AS id")
        if not self._is_wild:
            return self.one("*", f"{self.one(*RIGHT, *CLOCKS)}{alias}", f"{self.value(1)}{alias}")
        return self.one(
            "*", "o.*", "* EXCEPT (id)", self.value(depth) + alias, self.value(0) + alias
        )

    def script(self) -> str:
        view = f"CREATE VIEW v{self.one('', ' (id, w)')} AS {self.query(1)};\n"
        sink = "CREATE SINK s USING json OPTIONS (path 's'); INSERT INTO s "
        return ORDERS + ITEMS + self.one("", view) + self.one("", sink) + self.query(2) + ";"


def assert_sound(error: CompileError, source: SourceText) -> None:
    """Errors have registered codes, and point at something."""
    assert error.diagnostics
    assert render_all(error.diagnostics, source)
    for each in error.diagnostics:
        assert each.code in CODES
        assert each.labels
        assert all(label.span.end > label.span.start for label in each.labels)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(9))
def test_scripts_at_random(seed: int) -> None:
    for number in range(20):
        text = Writer(1_000 * seed + number).script()
        source = SourceText("q.sql", text)
        try:
            job = compile_script(source)
        except CompileError as error:
            assert_sound(error, source)
            continue
        ast.parse(job.text)
        assert job.explain
