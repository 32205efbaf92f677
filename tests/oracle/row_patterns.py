"""Random MATCH_RECOGNIZE in SQL over random relations, and their matches by enumeration."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from random import Random
from typing import Any

from oracle.join_trees import SECOND, Event
from patterns.by_hand import Condition, Enumeration, Row, Way, matches
from patterns.test_matches import (
    NAMES,
    above_first,
    above_last_of,
    below_mean_of,
    equal,
    falls,
    known,
    pattern_of,
    rises_next,
)

from tvfc_runtime.pattern import spec

Answer = Counter[tuple[Any, ...]]

X = "CASE WHEN n % 5 > 0 THEN n % 4 END AS x"
"""What conditions are about; a row whose number is a multiple of 5 makes none true."""

RELATIONS = {
    "a": f"SELECT id, n, ts, {X} FROM a",
    "some of a": f"SELECT id, n, ts, {X} FROM a WHERE n % 7 > 0",
    "a and b": f"SELECT id, n, ts, {X} FROM a UNION ALL SELECT id, n, ts, {X} FROM b",
    "a in time": f"SELECT id, n, ts, {X} FROM a WHERE ts + INTERVAL 1 SECOND <= WATERMARK_TS()",
    "both in time": f"SELECT id, n, ts, {X} FROM a WHERE ts + INTERVAL 1 SECOND <= WATERMARK_TS()"
    f" UNION ALL SELECT id, n, ts, {X} FROM b",
}
"""By what they have, views in which matches are looked for."""

END_S = 9_000
"""When the last row of each key is, which makes no condition true: with it all matches are over."""


@dataclass(frozen=True)
class NumberedRow(Row):
    """A row with its number."""

    number: int


def rows_of(relation: str, arrived: dict[str, list[Event]]) -> dict[int | None, list[NumberedRow]]:
    """The rows of a relation by key, in order; the number of each stands beside."""
    events = [each for rows in arrived.values() for each in rows if each.ts is not None]
    if relation == "some of a":
        events = [each for each in events if each.number % 7 > 0]
    found: dict[int | None, list[NumberedRow]] = defaultdict(list)
    for each in sorted(events, key=lambda each: (each.ts, each.number)):
        value = each.number % 4 if each.number % 5 > 0 else None
        found[each.id].append(NumberedRow(each.ts or 0, value, each.number))
    return found


@dataclass(frozen=True)
class Matches:
    """A query for matches.

    Attributes:
        relation: where they are looked for, one of `RELATIONS`.
        pattern: of their rows.
        written: the conditions in SQL, by variable.
        conditions: the same to be asked of rows.
        all_rows: ALL ROWS PER MATCH.
        skip: `past last` or `to next`.
        within_s: WITHIN, in seconds.
    """

    relation: str
    pattern: spec.Pattern
    written: dict[str, str]
    conditions: dict[str, Condition]
    all_rows: bool
    skip: str
    within_s: int | None

    @property
    def sql(self) -> str:
        """The query."""
        within = f" WITHIN INTERVAL {self.within_s} SECONDS" if self.within_s else ""
        rows = "ALL ROWS PER MATCH OMIT EMPTY MATCHES" if self.all_rows else "ONE ROW PER MATCH"
        skip = "PAST LAST ROW" if self.skip == "past last" else "TO NEXT ROW"
        define = ", ".join(f"{name} AS {each}" for name, each in self.written.items())
        items = f"id, {'n, ' if self.all_rows else ''}number, variable, first, last_a, c, s, most"
        return (
            f"WITH v AS ({RELATIONS[self.relation]}) SELECT {items} FROM v MATCH_RECOGNIZE ("
            " PARTITION BY id ORDER BY ts, n MEASURES match_number() AS number,"
            " classifier() AS variable, FIRST(x) AS first, LAST(A.x) AS last_a, count(*) AS c,"
            f" sum(B.x) AS s, FINAL max(x) AS most {rows} AFTER MATCH SKIP {skip}"
            f" PATTERN ({pattern_text(self.pattern)}){within} DEFINE {define}) AS m"
        )

    def answer(self, arrived: dict[str, list[Event]]) -> Answer:
        """All rows that ever come of these rows."""
        found: Answer = Counter()
        for key, rows in rows_of(self.relation, arrived).items():
            within = None if self.within_s is None else self.within_s * SECOND
            ways = Enumeration(rows, self.conditions, within)
            for number, (start, way) in enumerate(matches(self.pattern, ways, self.skip), 1):
                found.update(self._told(key, number, rows[start : start + len(way)], way))
        return found

    def _told(self, key: int | None, number: int, rows: list[NumberedRow], way: Way) -> list[Any]:
        most = max((each.value for each in rows if each.value is not None), default=None)
        places = [len(rows) - 1]
        if self.all_rows:
            places = [n for n, (_, is_left_out) in enumerate(way) if not is_left_out]
        told = []
        for place in places:
            values = [(way[n][0], rows[n].value) for n in range(place + 1)]
            of_a = [value for name, value in values if name == "A"]
            of_b = [value for name, value in values if name == "B" and value is not None]
            last, sum_b = of_a[-1] if of_a else None, sum(of_b) if of_b else None
            head = (key, rows[place].number) if self.all_rows else (key,)
            tail = (values[0][1], last, len(values), sum_b, most)
            told.append((*head, number, way[place][0], *tail))
        return told


def pattern_text(pattern: spec.Pattern) -> str:
    """A pattern in SQL."""
    match pattern:
        case str():
            return pattern
        case spec.Sequence(parts=parts):
            return f"({' '.join(map(pattern_text, parts))})"
        case spec.Choice(parts=parts):
            return f"({' | '.join(map(pattern_text, parts))})"
        case spec.Excluded(part=part):
            return f"{{- {pattern_text(part)} -}}"
        case spec.Repeat(part=part, least=least, most=most, greedy=greedy):
            most_text = "" if most is None else str(most)
            return f"({pattern_text(part)}){{{least},{most_text}}}{'' if greedy else '?'}"


def least_rows(pattern: spec.Pattern) -> int:
    """How few rows a match can have."""
    match pattern:
        case str():
            return 1
        case spec.Sequence(parts=parts):
            return sum(map(least_rows, parts))
        case spec.Choice(parts=parts):
            return min(map(least_rows, parts))
        case spec.Excluded(part=part):
            return least_rows(part)
        case spec.Repeat(part=part, least=least):
            return least * least_rows(part)


def _has_excluded(pattern: spec.Pattern) -> bool:
    return "{-" in pattern_text(pattern)


def _condition(rng: Random, name: str) -> tuple[str, Condition]:
    number, of = rng.randrange(3), rng.choice(NAMES)
    text, (_, condition) = rng.choice(
        (
            (f"{name}.x IS NOT NULL", known()),
            (f"{name}.x = {number}", equal(number)),
            (f"{name}.x = {number}", equal(number)),
            (f"{name}.x < PREV({name}.x)", falls()),
            (f"{name}.x < NEXT({name}.x)", rises_next()),
            (f"FIRST(x) < {name}.x OR {name}.x = 0", above_first()),
            (
                f"(LAST({of}.x) IS NULL AND {name}.x IS NOT NULL) OR LAST({of}.x) <= {name}.x",
                above_last_of(of),
            ),
            (f"NOT (avg({of}.x) < {name}.x)", below_mean_of(of)),
        )
    )
    return text, condition


def random_matches(rng: Random, streams: list[str]) -> Matches:
    """A query that reads just these streams; a match has a row at least."""
    of_both = [name for name, text in RELATIONS.items() if "FROM b" in text]
    all_rows = rng.random() < 0.5
    pattern: spec.Pattern = ""
    # The measures name all variables, and of one row a match nothing is left out.
    while not (
        all(name in pattern_text(pattern) for name in NAMES)
        and least_rows(pattern)
        and (all_rows or not _has_excluded(pattern))
    ):
        pattern = pattern_of(rng, rng.randrange(3, 6))
    defined = {name: _condition(rng, name) for name in NAMES}
    return Matches(
        relation=rng.choice([each for each in RELATIONS if (each in of_both) == ("b" in streams)]),
        pattern=pattern,
        written={name: text for name, (text, _) in defined.items()},
        conditions={name: each for name, (_, each) in defined.items()},
        all_rows=all_rows,
        skip=rng.choice(("past last", "to next")),
        within_s=rng.choice((None, None, 2, 3, 5)),
    )
