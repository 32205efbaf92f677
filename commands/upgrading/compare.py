"""What becomes of each part of a query when another one goes on in its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from commands.upgrading.conversion import Conversion, conversion_of
from commands.upgrading.identity import Told, pair_of, reading
from tvfc_runtime.checkpoint.state import differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commands.upgrading.anatomy import Anatomy, Operator
    from commands.upgrading.identity import Pair
    from commands.upgrading.queries import Query
    from tvfc_runtime.checkpoint.state import Part


class Verdict(StrEnum):
    """What becomes of a part.

    Attributes:
        SAME: it goes on with what it has.
        CONVERTED: it goes on with that in another form.
        NEEDS_HISTORY: what it would have is made anew of what the sources still have.
        NEW: it begins with nothing, and nothing is missing.
        LOST: something that it has, or should have, is given up.
    """

    SAME = "same"
    CONVERTED = "converted"
    NEEDS_HISTORY = "needs history"
    NEW = "new"
    LOST = "lost"


@dataclass(frozen=True)
class Change:
    """What becomes of a source, an operator or a sink.

    Attributes:
        what: `source`, `operator` or `sink`.
        name: what it is called, in the new query if it is there.
        verdict: what becomes of it.
        why: in words; empty where nothing changes.
        rows: how many rows it holds; None: unknown, or it holds none of its own.
        bytes: what these take on disk.
    """

    what: str
    name: str
    verdict: Verdict
    why: str = ""
    rows: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Fate:
    """Where the state of an operator of the new query comes from.

    Attributes:
        verdict: what becomes of it.
        old: the operator whose state it takes over.
        conversion: how its rows become those of the new one.
        why: in words.
    """

    verdict: Verdict
    old: Operator | None = None
    conversion: Conversion | None = None
    why: str = ""


@dataclass(frozen=True)
class Sides:
    """Two queries and their operators.

    Attributes:
        pair: the queries.
        old: the operators of the one.
        new: those of the other.
        told: their parts in words that can be compared.
    """

    pair: Pair
    old: Anatomy
    new: Anatomy
    told: tuple[Told, Told] = field(repr=False)


def sides_of(old: Query, new: Query, anatomies: tuple[Anatomy, Anatomy]) -> Sides:
    """Two queries to be compared."""
    pair = pair_of(old, new)
    return Sides(pair, *anatomies, (Told(pair, new=False), Told(pair, new=True)))


def fates_of(sides: Sides, keeps_alike: Callable[[Operator, Operator], bool]) -> dict[int, Fate]:
    """Where the state of each operator of the new query comes from, by its number.

    Args:
        sides: the queries.
        keeps_alike: whether the state of two of Spark's own operators has the same columns.
    """
    told_old, told_new = sides.told
    by_key: dict[str, list[Operator]] = {}
    for each in sides.old.operators:
        by_key.setdefault(told_old.key(each), []).append(each)
    found: dict[int, Fate] = {}
    for each in sides.new.operators:
        alike = [
            one for one in by_key.get(told_new.key(each), ()) if _alike(one, each, keeps_alike)
        ]
        if alike:
            found[each.number] = Fate(Verdict.SAME, _of_output(alike, each.output)[0])
    for each in sides.new.operators:
        if each.number not in found:
            taken = {fate.old.number for fate in found.values() if fate.old is not None}
            found[each.number] = _changed(sides, each, taken)
    return found


def _of_output(operators: list[Operator], output: str) -> list[Operator]:
    """Operators, those of an output first."""
    return sorted(operators, key=lambda one: one.output != output)


def _alike(one: Operator, other: Operator, keeps: Callable[[Operator, Operator], bool]) -> bool:
    if one.holding is None or other.holding is None:
        return one.holding is other.holding and keeps(one, other)
    held = [[(c.name.lower(), c.kind) for c in each.holding.columns] for each in (one, other)]  # type: ignore[union-attr]
    return held[0] == held[1]


def _changed(sides: Sides, new: Operator, taken: set[int]) -> Fate:
    """What becomes of an operator that keeps something else than all before."""
    if is_last_delay(new):
        olds = sorted(_predecessors(sides, new), key=lambda each: each.number in taken)
        for old in olds:
            conversion = conversion_of(sides.pair, sides.told, old, new)
            if conversion is not None:
                return Fate(Verdict.CONVERTED, old, conversion, _what(sides, old, new))
        if olds:
            return Fate(Verdict.LOST, olds[0], None, "the rows that it holds were made otherwise")
        if new.output in _sinks(sides.pair.old):
            return Fate(Verdict.NEW, why="the rows so far have left already")
    return _anew(sides, [each for each in sides.old.operators if each.number not in taken], new)


def _predecessors(sides: Sides, new: Operator) -> list[Operator]:
    """The delays whose rows are for the sink of another one, which may have another name."""
    delays = [each for each in sides.old.operators if is_last_delay(each)]
    gone = [each for each in delays if each.output not in _sinks(sides.pair.new)]
    if new.output not in _sinks(sides.pair.old):
        return gone if len(gone) == 1 else []
    return [each for each in delays if each.output == new.output]


def _sinks(query: Query) -> set[str]:
    return {each.name for each in query.outputs}


def serves(sides: Sides, old: Operator, new: Operator) -> bool:
    """Whether an operator that takes over the state of another one is all that this is to have.

    Another sink may have a copy of the rows that wait for one, but does not take them from it.
    """
    is_renamed = old.output not in _sinks(sides.pair.new)
    return not is_last_delay(old) or old.output == new.output or is_renamed


def is_last_delay(operator: Operator) -> bool:
    """Whether rows that an operator holds go to a sink as soon as they leave it."""
    return operator.place.startswith("delay/")


def _what(sides: Sides, old: Operator, new: Operator) -> str:
    """In what the steps of two delays differ."""
    parts = [
        query.parts[query.places.get(each.below, 0)]
        for query, each in ((sides.pair.old, old), (sides.pair.new, new))
    ]
    return _words(sides, *parts)


def _anew(sides: Sides, olds: list[Operator], new: Operator) -> Fate:
    """An operator whose state is made of the history, and in what it differs from the old one."""
    part = sides.pair.new.parts[sides.pair.new.places.get(new.function, 0)]
    for old in olds:
        was = sides.pair.old.parts[sides.pair.old.places.get(old.function, 0)]
        kinds = [each.get("operator") for each in (was, part)]
        if old.kind == new.kind and kinds[0] == kinds[1] is not None:
            why = _words(sides, was, part) or "what it is given has changed"
            return Fate(Verdict.NEEDS_HISTORY, old, why=why)
    return Fate(Verdict.NEEDS_HISTORY, why="there was none such")


def _words(sides: Sides, was: Part, now: Part) -> str:
    """The facts of two parts that differ, whatever stands at the places that they name."""
    plain = [
        {k: v for k, v in each.items() if k not in ("of", "rows", "tables", "with")}
        for each in (was, now)
    ]
    head = sides.pair.old.parts[:1]
    return "; ".join(
        each.partition(": ")[2] or each
        for each in differences([*head, plain[0]], [*head, plain[1]])
    )


def changes_of_sources(pair: Pair) -> Iterator[Change]:
    """What becomes of the sources."""
    taken = set()
    for name, part in pair.new.sources.items():
        called = pair.renamed.get(name, name)
        was = pair.old.sources.get(called)
        if was is None or reading(was) != reading(part):
            why = "it is read from its beginning; what is older than the clock is late"
            yield Change("source", name, Verdict.NEW, why)
            continue
        taken.add(called)
        plain = [{k: v for k, v in each.items() if k != "name"} for each in (was, part)]
        head = pair.old.parts[:1]
        words = [
            each.partition(": ")[2] or each
            for each in differences([*head, plain[0]], [*head, plain[1]])
        ]
        words += [f"was called {called}"] if called != name else []
        verdict = Verdict.CONVERTED if words else Verdict.SAME
        yield Change("source", name, verdict, "; ".join(words))
    for name in pair.old.sources:
        if name not in taken and name not in pair.new.sources:
            yield Change("source", name, Verdict.CONVERTED, "it is not read any more")


def changes_of_sinks(sides: Sides) -> Iterator[Change]:
    """What becomes of the sinks."""
    old, new = (
        {each["sink"]: each for each in query.parts if "sink" in each}
        for query in (sides.pair.old, sides.pair.new)
    )
    told_old, told_new = sides.told
    for name, part in new.items():
        was = old.get(name)
        takes_back = "changes" in part or "key" in part or "revised until" in part
        target = _target(part)
        if was is None:
            yield _new_sink(name, takes_back=takes_back)
        elif not takes_back:
            is_same = _target(was) == target and "changes" not in was
            why = "" if is_same else "rows that leave from now on go there"
            yield Change("sink", name, Verdict.SAME if is_same else Verdict.CONVERTED, why)
        elif _target(was) == target and told_old.sink(was) == told_new.sink(part):
            yield Change("sink", name, Verdict.SAME)
        else:
            why = (
                "it holds an answer that is not taken back: from now on it gets the changes of "
                "another one"
                if _target(was) == target
                else "the new target lacks the answer so far, and gets the changes from now on"
            )
            yield Change("sink", name, Verdict.LOST, why)
    for name in old:
        if name not in new:
            yield Change("sink", name, Verdict.CONVERTED, "it gets no more rows")


def _new_sink(name: str, *, takes_back: bool) -> Change:
    if takes_back:
        why = "it lacks the answer so far, and gets the changes from now on"
        return Change("sink", name, Verdict.LOST, why)
    return Change("sink", name, Verdict.NEW, "rows that leave from now on go there")


def _target(part: Part) -> list[object]:
    return [part.get(each) for each in ("format", "options", "records", "record options", "key")]
