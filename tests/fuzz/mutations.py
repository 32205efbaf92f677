"""Texts like those that are right, with something out of place: tokens, characters, whole parts."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from hostile.texts import NAMED

ROOT = Path(__file__).parents[2]
_TOKEN = re.compile(r"'[^']*'|`[^`]*`|\w+|\s+|.", re.DOTALL)


def queries() -> list[str]:
    """The queries of the goldens."""
    return [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("golden/*/*/query.sql"))]


def scenarios() -> list[str]:
    """The documents of the scenario files."""
    texts = [
        each.read_text(encoding="utf-8") for each in sorted(ROOT.glob("tests/scenarios/*.yaml"))
    ]
    return [part for text in texts for part in text.split("\n---\n")]


class Mutator:
    """Changes texts; the same seed makes the same changes."""

    def __init__(self, seed: int, texts: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._texts = texts

    def text(self) -> str:
        """One of the texts, changed a few times."""
        parts = _TOKEN.findall(self._random.choice(self._texts))
        for _ in range(self._random.choice((1, 1, 2, 3, 5, 8))):
            self._change(parts)
        return "".join(parts)

    def _change(self, parts: list[str]) -> None:
        place, length = (
            self._random.randrange(len(parts) + 1),
            self._random.choice((1, 1, 2, 5, 20)),
        )
        match self._random.randrange(8):
            case 0:
                del parts[place : place + length]
            case 1:
                parts[place:place] = parts[place : place + length] * self._random.choice((1, 2, 9))
            case 2:
                other = _TOKEN.findall(self._random.choice(self._texts))
                start = self._random.randrange(len(other))
                parts[place : place + self._random.choice((0, length))] = other[
                    start : start + length
                ]
            case 3:
                parts[place : place + 1] = [self._random.choice(list(NAMED.values()))]
            case 4:
                parts[place:place] = ["(" * length]
            case 5 if parts:
                one, two = (self._random.randrange(len(parts)) for _ in range(2))
                parts[one], parts[two] = parts[two], parts[one]
            case 6:
                parts[place:place] = [self._random.choice(_SPLICED)]
            case _:
                parts[place : place + 1] = [
                    chr(self._random.choice((0x7F, 0xFF, 0x3000, 0x10FFFF)))
                ]


_SPLICED = (
    *(" NOT ", " NULL ", " (SELECT 1) ", " EXISTS ", ", *", " AND mz_now() < ts ", " OVER () "),
    *(" UNION SELECT * FROM s ", " EMIT ON WINDOW CLOSE ", " WHERE ts <= WATERMARK_TS() "),
    *(" - 1", " || ''", " IS NULL", " LIMIT 1 ", " JOIN s ", " FILTER (WHERE true) ", "[0]", ".x"),
    *(" |> WHERE id > 1 ", " |> AGGREGATE count(*) GROUP BY k ", " |> EXTEND id + 1 AS x "),
    *(" |> SELECT * ", " |> AS q ", " |> UNION ALL (SELECT * FROM s) ", " |> SET id = 1 "),
    *(" |> JOIN r USING (id) ", " |> DROP k ", " IDENTIFIER('ts') ", " IDENTIFIER('s' || '') "),
)
