"""A pattern as a program: it is run from its beginning, and goes back to where it had a choice.

Before   A (B | C)* D
After    0: take A, go to 3 · 1: take B, go to 3 · 2: take C, go to 3 · 3: split 5, 4
         4: take D, go to 6 · 5: split 1, 2 · 6: accept

Of two ways the first is preferred, which is what SQL says of alternatives and quantifiers. A round
of a loop that takes no row ends its path: so there is a row in each round, no way leads back to
where it came from without one, and where a path stands is told by the instruction and the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tvfc_runtime.pattern.spec import Choice, Excluded, Pattern, Repeat, Sequence


class Op(IntEnum):
    """What an instruction does."""

    TAKE = 0
    """Take a row for a variable, and go on at `first`."""
    SPLIT = 1
    """Go on at `first`, or else at `second`."""
    ACCEPT = 2
    """The rows so far are a match."""
    FAIL = 3
    """This way leads to none."""


@dataclass(slots=True)
class Instruction:
    """One step of a program; `excluded` tells of a row that is left out of ALL ROWS PER MATCH."""

    op: Op
    first: int = 0
    second: int = 0
    variable: int = 0
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions, where to begin, and the names of the variables by number."""

    code: tuple[Instruction, ...]
    begin: int
    variables: tuple[str, ...]


def variables_of(pattern: Pattern) -> tuple[str, ...]:
    """The variables of a pattern, in order of their first places."""
    match pattern:
        case str():
            return (pattern,)
        case Sequence(parts=parts) | Choice(parts=parts):
            return tuple(dict.fromkeys(name for part in parts for name in variables_of(part)))
        case Repeat(part=part) | Excluded(part=part):
            return variables_of(part)


def compiled(pattern: Pattern) -> Program:
    """The program of a pattern."""
    writer = _Writer(variables_of(pattern))
    accept = writer.add(Instruction(Op.ACCEPT))
    begin = writer.write(pattern, accept, accept, excluded=False)
    return Program(tuple(writer.code), begin, writer.variables)


class _Writer:
    """Writes from the end to the beginning, since an instruction says what comes after it.

    What comes after a part may depend on whether that took a row: `empty` if it took none.
    """

    def __init__(self, variables: tuple[str, ...]) -> None:
        self.code: list[Instruction] = []
        self.variables = variables
        self._numbers = {name: number for number, name in enumerate(variables)}

    def add(self, instruction: Instruction) -> int:
        self.code.append(instruction)
        return len(self.code) - 1

    def write(self, pattern: Pattern, empty: int, after: int, *, excluded: bool) -> int:
        """Where a part begins that is followed by `after`, or if it took no row by `empty`."""
        match pattern:
            case str():
                variable = self._numbers[pattern]
                return self.add(Instruction(Op.TAKE, after, 0, variable, excluded))
            case Excluded(part=part):
                return self.write(part, empty, after, excluded=True)
            case Choice(parts=parts):
                ways = [self.write(part, empty, after, excluded=excluded) for part in parts]
                return self._first_of(ways)
            case Sequence(parts=parts):
                for part in reversed(parts):
                    empty, after = self._before(part, empty, after, excluded=excluded)
                return empty
            case Repeat():
                return self._repeat(pattern, empty, after, excluded=excluded)

    def _before(self, part: Pattern, empty: int, after: int, *, excluded: bool) -> tuple[int, int]:
        """Where a part begins if no row was taken before it, and if one was."""
        begin = self.write(part, empty, after, excluded=excluded)
        if empty == after:
            return begin, begin
        return begin, self.write(part, after, after, excluded=excluded)

    def _repeat(self, repeat: Repeat, empty: int, after: int, *, excluded: bool) -> int:
        part = repeat.part
        if repeat.most is None:
            empty, after = self._loop(repeat, empty, after, excluded=excluded)
        else:
            # A round behind those that must be there, and what may follow it: (x (x)?)?
            last_empty, last = empty, after
            for _ in range(repeat.most - repeat.least):
                fail = self.add(Instruction(Op.FAIL))
                once = self.write(part, fail, after, excluded=excluded)
                is_same = empty == after
                empty = self._choice(once, last_empty, greedy=repeat.greedy)
                after = empty if is_same else self._choice(once, last, greedy=repeat.greedy)
        for _ in range(repeat.least):
            empty, after = self._before(part, empty, after, excluded=excluded)
        return empty

    def _loop(self, repeat: Repeat, empty: int, after: int, *, excluded: bool) -> tuple[int, int]:
        """Any number of rounds: where they begin if no row was taken before, and if one was."""
        again = self.add(Instruction(Op.SPLIT))
        fail = self.add(Instruction(Op.FAIL))
        once = self.write(repeat.part, fail, again, excluded=excluded)
        self.code[again] = self._split(once, after, greedy=repeat.greedy)
        if empty == after:
            return again, again
        return self._choice(once, empty, greedy=repeat.greedy), again

    def _choice(self, once: int, end: int, *, greedy: bool) -> int:
        return self.add(self._split(once, end, greedy=greedy))

    def _split(self, once: int, end: int, *, greedy: bool) -> Instruction:
        first, second = (once, end) if greedy else (end, once)
        return Instruction(Op.SPLIT, first, second)

    def _first_of(self, ways: list[int]) -> int:
        *others, place = ways
        for way in reversed(others):
            place = self.add(Instruction(Op.SPLIT, way, place))
        return place
