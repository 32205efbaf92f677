"""MATCH_RECOGNIZE: its clauses, and the row patterns in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from compiler.syntax.nodes.relations import OwnRelation, relation_args


@dataclass(frozen=True)
class MatchClauses:
    """What stands in the parentheses of MATCH_RECOGNIZE.

    No node of a tree: columns and aggregates in it are those of a match, and whoever looks for
    those of the query around must not meet them. `rows` and `skip` are the words of their clauses,
    `skip_to` the variable of the latter; `measures` and `defines` have a name each.
    """

    pattern: exp.Expression
    partition: tuple[exp.Expression, ...] = ()
    order: exp.Order | None = None
    measures: tuple[exp.Alias, ...] = ()
    rows: str = "ONE ROW PER MATCH"
    skip: str = "PAST LAST ROW"
    skip_to: exp.Identifier | None = None
    within: exp.Expression | None = None
    subsets: tuple[MatchSubset, ...] = ()
    defines: tuple[exp.Alias, ...] = ()


class MatchRecognize(OwnRelation):
    """`this MATCH_RECOGNIZE (…)`: matches of a row pattern; `clauses` are MatchClauses."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(clauses=True)


class MatchSubset(exp.Expression):
    """`this = (expressions)`: a name for the rows of several variables."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": True}


class MatchScope(exp.Expression):
    """`RUNNING this`, `FINAL this`: of which rows of a match a measure is."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True}


class RowVariable(exp.Expression):
    """A variable in a pattern."""


class RowSequence(exp.Expression):
    """Patterns one after the other."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False}


class RowChoice(exp.Expression):
    """`a | b`: one of several patterns, those before preferred."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class RowRepeat(exp.Expression):
    """`this{least,most}`, without an end if `most` is None; with `?`, as few as will do."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "least": True,
        "most": False,
        "reluctant": False,
    }


class RowExcluded(exp.Expression):
    """`{- this -}`: a pattern whose rows are left out of ALL ROWS PER MATCH."""


class RowPermute(exp.Expression):
    """`PERMUTE(a, b)`: patterns in any order."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}
