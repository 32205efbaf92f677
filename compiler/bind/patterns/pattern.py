"""PATTERN, SUBSET and AFTER MATCH SKIP: names checked, PERMUTE written out, sizes bounded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import factorial

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.plan.patterns import (
    Choice,
    Excluded,
    Pattern,
    Repeat,
    Sequence,
    shapes_of,
    size_of,
    variables_of,
)
from compiler.source import Span
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    MatchClauses,
    RowChoice,
    RowExcluded,
    RowPermute,
    RowRepeat,
    RowSequence,
    RowVariable,
)

MOST_PLACES = 2_000
"""For variables, in a pattern with its counted parts written out."""

MOST_DEPTH = 50
"""How deep parts of a pattern may be in others."""


@dataclass(frozen=True, kw_only=True)
class Variables:
    """The names that rows of a match have: those of a pattern, and those of SUBSET.

    Attributes:
        pattern: the pattern.
        members: by name in small letters, the variables that it stands for.
    """

    pattern: Pattern
    members: dict[str, tuple[str, ...]]

    def named(self, name: str) -> tuple[str, ...] | None:
        """What a name stands for; None: it is none of them."""
        return self.members.get(name.lower())


def bind_pattern(clauses: MatchClauses, problems: Problems) -> Variables | None:
    """The pattern and the names of rows; None: it is at fault."""
    spelled: dict[str, str] = {}
    try:
        pattern = _pattern(clauses.pattern, spelled, 0)
    except _TooLargeError:
        pattern = None
    if pattern is None or size_of(pattern) > MOST_PLACES:
        problems.add(
            "TVF510",
            f"a pattern with more than {MOST_PLACES:,} places for rows is not supported",
            span_of(clauses.pattern),
            "is too large, or nested too deep",
            advice="write smaller bounds, or none: `a{100,}` for `a{100,100000}`",
        )
        return None
    members: dict[str, tuple[str, ...]]
    members = {name.lower(): (name,) for name in variables_of(pattern)}
    for subset in clauses.subsets:
        names = [each.name for each in subset.expressions]
        for each in subset.expressions:
            _check_variable(each, members, problems)
        if subset.this.name.lower() in members:
            _twice(subset.this, problems)
        known = dict.fromkeys(v for name in names for v in members.get(name.lower(), ()))
        members[subset.this.name.lower()] = tuple(known)
    return Variables(pattern=pattern, members=members)


class _TooLargeError(Exception):
    """A pattern that nobody would wait for."""


def _pattern(node: exp.Expression, spelled: dict[str, str], depth: int) -> Pattern:
    if depth > MOST_DEPTH:
        raise _TooLargeError
    match node:
        case RowVariable():
            return spelled.setdefault(node.name.lower(), node.name)
        case RowSequence():
            return Sequence(_patterns(node, spelled, depth))
        case RowChoice():
            return Choice(_patterns(node, spelled, depth))
        case RowExcluded():
            return Excluded(_pattern(node.this, spelled, depth + 1))
        case RowPermute():
            if factorial(min(len(node.expressions), 10)) > MOST_PLACES:
                raise _TooLargeError
            orders = permutations(_patterns(node, spelled, depth))
            return Choice(tuple(Sequence(each) for each in orders))
        case RowRepeat(args=args):
            inner = _pattern(node.this, spelled, depth + 1)
            return Repeat(inner, args["least"], args.get("most"), not args.get("reluctant"))
        case _:
            raise _TooLargeError


def _patterns(node: exp.Expression, spelled: dict[str, str], depth: int) -> tuple[Pattern, ...]:
    return tuple(_pattern(each, spelled, depth + 1) for each in node.expressions)


def _check_variable(
    name: exp.Expression, members: dict[str, tuple[str, ...]], problems: Problems
) -> None:
    if name.name.lower() not in members:
        unknown_variable(name.name, span_of(name), list(members), problems)


def unknown_variable(name: str, span: Span, known: list[str], problems: Problems) -> None:
    """A name that should be a variable of the pattern."""
    problems.add(
        "TVF119",
        f"the pattern has no variable `{name}`",
        span,
        "not in PATTERN",
        notes=[f"it has {listed(known)}"],
        advice=did_you_mean(name, known) or f"write it in PATTERN, or leave `{name}` out",
    )


def _twice(name: exp.Expression, problems: Problems) -> None:
    problems.add(
        "TVF119",
        f"two variables of a pattern are called `{name.name}`",
        span_of(name),
        "the second one",
        advice="give it another name",
    )


def skip_of(
    clauses: MatchClauses, variables: Variables, problems: Problems
) -> tuple[str, tuple[str, ...]]:
    """Where the next match may begin: how, and the variables that say so."""
    if clauses.skip_to is None:
        return clauses.skip.lower().removesuffix(" row"), ()
    name = clauses.skip_to
    names = variables.named(name.name)
    if names is None:
        unknown_variable(name.name, span_of(name), list(variables.members), problems)
        return "past last", ()
    mode = "first" if clauses.skip.upper() == "TO FIRST" else "last"
    shapes = shapes_of(variables.pattern, frozenset(names))
    if any(not (each.first or each.later) for each in shapes):
        _never_there(name, f"a match may have no row of `{name.name}`", problems)
    elif any(each.first and (mode == "first" or not each.later) for each in shapes):
        _never_there(name, "that may be the first row, where the match has begun", problems)
    return mode, names


def _never_there(name: exp.Expression, label: str, problems: Problems) -> None:
    problems.add(
        "TVF327",
        "AFTER MATCH SKIP TO a row that may not be there, or from where the match is found again",
        span_of(name),
        label,
        notes=["SQL has the query fail then, at the row that shows it"],
        advice="name a variable that stands behind the first row of every match, as `b` in "
        "PATTERN (a b+); or write AFTER MATCH SKIP TO NEXT ROW",
    )
