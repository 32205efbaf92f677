"""The groupings of ROLLUP, CUBE and GROUPING SETS, as the changing groups of rows have them."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.groups.columns import Columns
from compiler.bind.groups.grouping_sets import Groupings, number_of_sets, sets_of
from compiler.bind.totals.expanded import MOST_SETS, Expansion
from compiler.diagnostics.problems import Problems
from compiler.sql.exprs import Expr
from compiler.sql.texts import text_of
from compiler.syntax import span_of


def named_sets(groups: Groupings, node: exp.Select, problems: Problems) -> list[frozenset[str]]:
    """The groupings of a SELECT that has several, each as the names of its keys."""
    if not groups.are_several or (not groups.keys and number_of_sets(groups) == 1):
        return []
    if number_of_sets(groups) > MOST_SETS:
        problems.add(
            "TVF501",
            f"more than {MOST_SETS:,} groupings of rows that change are not supported",
            span_of(node.args["group"]),
            "each row is in so many groups",
            advice="group by fewer keys at once",
        )
        return [frozenset(map(text_of, groups.keys))]
    return sets_of(groups)


def expansion_of(
    groups: Groupings, keys: list[str], sets: list[frozenset[str]], columns: Columns
) -> Expansion:
    """Rows once for each grouping, by the places of their keys."""
    names = [text_of(each) for each in groups.keys]
    places = tuple(frozenset(n for n, name in enumerate(names) if name in each) for each in sets)
    return Expansion(columns.fresh("grouping"), tuple(keys), places)


def grouping_of(
    call: exp.Expression, groups: Groupings, by: Expansion | None, problems: Problems
) -> Expr:
    """What GROUPING of a key is, which keys a group has not; of GROUPING_ID all in one number."""
    names = [text_of(each) for each in groups.keys]
    asked = [text_of(each) for each in call.expressions]
    if by is not None and isinstance(call, exp.Grouping) and asked and asked[0] in names:
        return by.grouping(names.index(asked[0]))
    if by is not None and isinstance(call, exp.GroupingId) and asked in ([], names):
        return by.grouping_id()
    problems.add(
        "TVF209",
        f"{'grouping' if isinstance(call, exp.Grouping) else 'grouping_id'}() is of the keys of "
        "ROLLUP, CUBE or GROUPING SETS",
        span_of(call),
        "not all of these keys" if by is not None else "one grouping alone",
        advice="write `grouping(key)` with one of the keys, or `grouping_id()`",
    )
    return Expr(sql="0")
