"""Random conditions, most of which read the clock."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from oracle.dialects import Pair, both, either, instant, listed, seconds

COMPARISONS = ("<", "<=", ">", ">=", "=", "<>")


@dataclass(frozen=True)
class Conditions:
    """Makes conditions on the columns `k`, `v`, `p`, `ts`, `te` of some relations.

    Attributes:
        rng: where chance comes from.
        clock: the clock in both dialects.
        qualifiers: what may stand before a column: the empty text, or `l.` and `r.`.
    """

    rng: Random
    clock: Pair
    qualifiers: tuple[str, ...] = ("",)

    def temporal(self, leaves: int = 3) -> Pair:
        """A condition that reads the clock."""
        return self._condition(leaves, timed=True)

    def ordinary(self, leaves: int = 1) -> Pair:
        """A condition that does not."""
        return self._condition(leaves, timed=False)

    def column(self, *names: str) -> Pair:
        """One of some columns."""
        return both(f"{self.rng.choice(self.qualifiers)}{self.rng.choice(names)}")

    def _condition(self, leaves: int, *, timed: bool) -> Pair:
        rng = self.rng
        if leaves <= 1:
            return self._atom() if timed else self._plain()
        first = rng.randint(1, leaves - 1)
        other = timed and rng.random() < 0.5
        parts = [
            self._condition(first, timed=timed),
            self._condition(leaves - first, timed=other),
        ]
        rng.shuffle(parts)
        shape = rng.choices(range(9), (5, 5, 2, 2, 1, 1, 1, 1, 2))[0]
        match shape:
            case 0:
                return both("({} AND {})", *parts)
            case 1:
                return both("({} OR {})", *parts)
            case 2:
                return both("(NOT {})", both(rng.choice(("({} AND {})", "({} OR {})")), *parts))
            case 3:
                return both("(CASE WHEN {} THEN {} ELSE {} END)", self._plain(), *parts)
            case 4:
                return both("(CASE WHEN {} THEN {} END)", *parts)
            case 5:
                return both("coalesce({}, {})", *parts)
            case 6:
                return either("if({}, {}, {})", "iif({}, {}, {})", self._plain(), *parts)
            case 7:
                return both("(({}) = ({}))", *parts)
            case _:
                tested = both(
                    rng.choice(("({} IS NULL)", "({} IS NOT TRUE)", "({} IS TRUE)")), parts[0]
                )
                return both("({} AND {})", tested, parts[1])

    def _plain(self) -> Pair:
        rng, value = self.rng, both(str(self.rng.randint(-1, 2)))
        match rng.randrange(7):
            case 0:
                return both(f"({{}} {rng.choice(COMPARISONS)} {{}})", self.column("v"), value)
            case 1:
                return self.column("p")
            case 2:
                return both("({} IS NULL)", self.column("v", "ts", "te", "k"))
            case 3:
                return both("({} IS NOT NULL)", self.column("v", "ts", "te", "k"))
            case 4:
                return both("({} IN ('x', 'y'))", self.column("k"))
            case 5:
                return both("({} < {})", self.column("ts"), self.column("te"))
            case _:
                return either("({} % 2 = 0)", "({} % 2 = 0)", self.column("v"))

    def _atom(self) -> Pair:
        rng, clock = self.rng, self.clock
        op = rng.choice(COMPARISONS)
        match rng.choices(range(10), (6, 4, 2, 2, 2, 2, 1, 1, 1, 1))[0]:
            case 0:
                return both(f"({{}} {op} {{}})", clock, self._moment())
            case 1:
                return both(f"({{}} {op} {{}})", self._moment(), clock)
            case 2:
                sign = rng.choice("+-")
                return both(f"({{}} {sign} {{}} {op} {{}})", clock, self._length(), self._moment())
            case 3:
                sides = [clock, self._moment()]
                rng.shuffle(sides)
                return both(f"({{}} - {{}} {op} {{}})", *sides, self._length())
            case 4:
                word = rng.choice(("BETWEEN", "NOT BETWEEN"))
                return both(f"({{}} {word} {{}} AND {{}})", clock, self._moment(), self._moment())
            case 5:
                word = rng.choice(("IN", "NOT IN"))
                moments = listed([self._moment() for _ in range(rng.randint(1, 3))])
                return both(f"({{}} {word} ({{}}))", clock, moments)
            case 6:
                return both(
                    f"({{}} {word_between(rng)} {{}} AND {{}})",
                    self._moment(),
                    clock,
                    self._moment(),
                )
            case 7:
                whole = rng.choice(("<", "<=", ">", ">="))
                return either(
                    f"(date_trunc('SECOND', {{}}) {whole} {{}})",
                    f"({{}} / 1000000 * 1000000 {whole} {{}})",
                    clock,
                    self._moment(),
                )
            case 8:
                return either(
                    f"({{}} {op} {{}} * 1000)",
                    f"({{}} / 1000 {op} {{}} * 1000)",
                    clock,
                    self.column("v"),
                )
            case _:
                return either(
                    f"({{}} {op} unix_millis({{}}) + 1500)",
                    f"({{}} / 1000 {op} {{}} / 1000 + 1500)",
                    clock,
                    self.column("ts", "te"),
                )

    def _moment(self) -> Pair:
        rng = self.rng
        time = self.column("ts", "te")
        match rng.choices(range(7), (6, 4, 2, 1, 1, 1, 1))[0]:
            case 0:
                return time
            case 1:
                return both(f"{{}} {rng.choice('+-')} {{}}", time, self._length())
            case 2:
                return either(
                    "{} + {} * INTERVAL 1 SECOND", "{} + {} * 1000000", time, self.column("v")
                )
            case 3:
                return instant(500 * rng.randint(2, 20))
            case 4:
                return both("coalesce({}, {})", time, self.column("ts", "te"))
            case 5:
                return both(
                    "CASE WHEN {} THEN {} ELSE {} END",
                    self.column("p"),
                    time,
                    self.column("ts", "te"),
                )
            case _:
                word = rng.choice(("greatest", "least"))
                return both(f"{word}({{}}, {{}})", time, self.column("ts", "te"))

    def _length(self) -> Pair:
        return seconds(self.rng.randint(1, 4))


def word_between(rng: Random) -> str:
    """BETWEEN or its contrary."""
    return rng.choice(("BETWEEN", "NOT BETWEEN"))
