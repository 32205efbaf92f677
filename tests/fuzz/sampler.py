"""Texts of the grammar itself: each rule expanded at random, names and literals out of a pool.

The names are mostly those of the declared sources, so that a good part of the queries is bound,
planned and written as a job and does not end in an unknown column.
"""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache

from lark import Lark
from lark.grammar import NonTerminal, Rule, Symbol
from lark.lexer import PatternStr

from compiler.syntax.grammar.tables import grammar_folder
from compiler.syntax.tokens.words import words

DECLARED = """CREATE SOURCE s (id INT, k STRING, ts TIMESTAMP, at STRUCT<x: INT>, xs ARRAY<INT>,
  WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING json OPTIONS (path 's');
CREATE SOURCE r (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
  USING json OPTIONS (path 'r');
CREATE TABLE t (id INT, k STRING) USING json OPTIONS (path 't');
"""

POOLS = {
    "NAME": words(
        "s r t id k ts at x xs s r id ts k a b v count sum max lag window_start"
        " TUMBLE HOP WATERMARK_TS mz_now explode window"
    ),
    "QUOTED_NAME": ["`id`", "`a b`", "`x``y`", '`"""`', "`ts`", "`\n`"],
    "STRING": [
        *("'x'", "'5 minutes'", "'HOUR'", '"y"', "'it''s'", "'a\\nb'", "'{}'", "r'\\d'", "'ts'"),
        *("'2026-01-01'", "'1969-12-31 23:59:59.999'", "'s.id'", "'count'"),
    ],
    "NUMBER": words("0 1 2 5 2.5 1e3 10L 99999999999999999999 1BD 7Y"),
    "HINT": ["/*+ BROADCAST(t) */"],
    "UNIT": words("DAY HOURS MINUTES SECOND MILLISECONDS MONTH WEEK"),
    "INTERVAL_SIGN": ["-", "+"],
    "TYPED_LITERAL": words("DATE TIMESTAMP TIMESTAMP_NTZ"),
    "PARAMETER": words("x y k"),
    "_LAMBDA_OPEN": ["("],
    "_EXCEPT_COLUMNS": ["EXCEPT"],
}
"""Tokens of the kinds that are no fixed text."""


class Sampler:
    """Draws texts of the language."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def script(self) -> str:
        """Declarations and some statements."""
        count = self._random.choice((1, 1, 1, 2, 3))
        return DECLARED + ";\n".join(self.text("statement") for _ in range(count)) + ";"

    def text(self, start: str) -> str:
        """A text that a rule derives."""
        return " ".join(self._expand(NonTerminal(start), self._random.randint(8, 30)))

    def _expand(self, start: Symbol, depth: int) -> list[str]:
        grammar = _grammar()
        found: list[str] = []
        stack = [(start, depth)]
        while stack:
            symbol, left = stack.pop()
            if symbol.is_term:
                found.append(self._word(symbol.name))
                continue
            rules = grammar.rules[symbol.name]
            if left > 0 and len(found) < 300:
                rule = self._random.choice(rules)
            else:
                least = min(grammar.height(each) for each in rules)
                rule = self._random.choice([r for r in rules if grammar.height(r) == least])
            stack.extend((each, left - 1) for each in reversed(rule.expansion))
        return found

    def _word(self, terminal: str) -> str:
        text = _grammar().texts.get(terminal)
        if text is not None:
            return text
        pool = POOLS.get(terminal.replace("spark__", ""))
        return self._random.choice(pool) if pool else "x"


class _Grammar:
    """Rules by what they derive, and how deep the shallowest tree of each is."""

    def __init__(self, lark: Lark) -> None:
        self.texts = {
            each.name: each.pattern.value
            for each in lark.terminals
            if isinstance(each.pattern, PatternStr)
        }
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in lark.rules:
            self.rules[rule.origin.name].append(rule)
        self._heights: dict[str, int] = {}
        changed = True
        while changed:
            changed = False
            for name, rules in self.rules.items():
                least = min(map(self.height, rules))
                if least < self._heights.get(name, _NEVER):
                    self._heights[name] = least
                    changed = True

    def height(self, rule: Rule) -> int:
        """Of the shallowest tree."""
        below = (0 if s.is_term else self._heights.get(s.name, _NEVER) for s in rule.expansion)
        return 1 + max(below, default=0)


_NEVER = 10_000


@cache
def _grammar() -> _Grammar:
    path = str(grammar_folder() / "tvf.lark")
    starts = ["statement", "query"]
    return _Grammar(Lark.open(path, parser="earley", lexer="basic", start=starts))
