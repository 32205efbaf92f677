"""GROUP BY with several groupings at once: ROLLUP, CUBE, GROUPING SETS, and GROUP BY ALL.

Spark forms them all in groups that close; for groups that change see totals/expanded.py. Groups are
final only if a key that the clock closes is in every grouping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.sql.exprs import Expr
from compiler.sql.texts import text_of
from compiler.syntax import span_of

_WORDS: dict[type[exp.Expression], str] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
}
_SEVERAL = (exp.Rollup, exp.Cube, exp.GroupingSets)


@dataclass(frozen=True)
class Groupings:
    """What follows GROUP BY.

    Attributes:
        terms: keys, and ROLLUP and the like with keys inside.
        keys: all keys, each once.
        in_all: those of them that are in every grouping.
    """

    terms: tuple[exp.Expression, ...]
    keys: tuple[exp.Expression, ...]
    in_all: tuple[exp.Expression, ...]

    @property
    def are_several(self) -> bool:
        """Whether a row is in several groups."""
        return any(isinstance(each, _SEVERAL) for each in self.terms)

    def sql(self, bind: Callable[[exp.Expression], Expr]) -> tuple[Expr, ...]:
        """What follows GROUP BY as SQL; `bind` gives a key."""
        return tuple(_term(each, bind) for each in self.terms)


def groupings(
    node: exp.Select,
    meant: Callable[[exp.Expression], exp.Expression],
    plain: list[exp.Expression],
) -> Groupings:
    """The groupings of a SELECT; `meant` gives the key that a number or a name stands for.

    `plain` are the items that GROUP BY ALL groups by.
    """
    group = node.args.get("group")
    if group is None:
        return Groupings((), (), ())
    terms = [*group.expressions] if not group.args.get("all") else plain
    trailing = next((group.args[key][0] for key in _TRAILING if group.args.get(key)), None)
    if trailing is not None:
        # `a, b WITH ROLLUP` and `a, b GROUPING SETS (…)`
        inner = trailing.expressions or terms
        span = span_of(trailing)
        trailing = type(trailing)(expressions=[each.copy() for each in inner])
        trailing.meta["span"] = span
        terms = [trailing]
    terms = [each if isinstance(each, _SEVERAL) else meant(each) for each in terms]
    keys: dict[str, exp.Expression] = {}
    for term in terms:
        for key in _keys(term):
            keys.setdefault(text_of(key), key)
    in_all = {name for term in terms for name in _in_all(term)}
    return Groupings(
        tuple(terms),
        tuple(keys.values()),
        tuple(key for name, key in keys.items() if name in in_all),
    )


_TRAILING = ("rollup", "cube", "grouping_sets")


def refuse_sessions(found: Groupings, problems: Problems, *, are_sessions: bool) -> None:
    """session_window() beside ROLLUP: of which keys would the sessions be?"""
    if found.are_several and are_sessions:
        problems.add(
            "TVF501",
            "session_window() beside several groupings is not supported yet",
            span_of(found.terms[0]),
            "sessions of which keys?",
            advice="write SESSION(relation, time, key, gap) in FROM",
        )


def sets_of(found: Groupings) -> list[frozenset[str]]:
    """The groupings, each as the names of its keys; of several terms each with each."""
    return [frozenset[str]().union(*each) for each in product(*map(_sets, found.terms))]


def _sets(term: exp.Expression) -> list[frozenset[str]]:
    """The groupings of a term alone."""
    if not isinstance(term, _SEVERAL):
        return [frozenset(map(text_of, _keys(term)))]
    if isinstance(term, exp.GroupingSets):
        return [one for each in term.expressions for one in _sets(each)]
    parts = [frozenset(map(text_of, _keys(each))) for each in term.expressions]
    chosen: Iterable[Sequence[frozenset[str]]] = (
        (parts[:number] for number in range(len(parts), -1, -1))
        if isinstance(term, exp.Rollup)
        else (each for n in range(len(parts), -1, -1) for each in combinations(parts, n))
    )
    return [frozenset[str]().union(*each) for each in chosen]


def number_of_sets(found: Groupings) -> int:
    """How many groupings there are, without forming them."""
    return prod(map(_number, found.terms))


def _number(term: exp.Expression) -> int:
    match term:
        case exp.Rollup():
            return len(term.expressions) + 1
        case exp.Cube():
            return int(2 ** len(term.expressions))
        case exp.GroupingSets():
            return sum(map(_number, term.expressions))
        case _:
            return 1


def _keys(term: exp.Expression) -> list[exp.Expression]:
    """The keys in a term, in order."""
    if isinstance(term, (*_SEVERAL, exp.Tuple)):
        return [key for each in term.expressions for key in _keys(each)]
    return _keys(term.this) if isinstance(term, exp.Paren) else [term]


def _in_all(term: exp.Expression) -> set[str]:
    """The names of the keys that are in each grouping of a term."""
    if isinstance(term, exp.GroupingSets):
        sets = [_in_set(each) for each in term.expressions]
        return set.intersection(*sets) if sets else set()
    return set() if isinstance(term, exp.Rollup | exp.Cube) else {text_of(term)}


def _in_set(grouping: exp.Expression) -> set[str]:
    if isinstance(grouping, exp.GroupingSets | exp.Rollup | exp.Cube):
        return _in_all(grouping)
    return {text_of(key) for key in _keys(grouping)}


def _term(node: exp.Expression, bind: Callable[[exp.Expression], Expr]) -> Expr:
    """A term as SQL."""
    if isinstance(node, exp.Paren):
        return _list("", [_term(node.this, bind)])
    if isinstance(node, exp.Tuple):
        return _list("", [_term(each, bind) for each in node.expressions])
    word = _WORDS.get(type(node))
    if word is None:
        return bind(node)
    return _list(f"{word} ", [_term(each, bind) for each in node.expressions])


def _list(word: str, inner: list[Expr]) -> Expr:
    reads = tuple(dict.fromkeys(name for each in inner for name in each.reads))
    return Expr(sql=f"{word}({', '.join(each.sql for each in inner)})", reads=reads)
