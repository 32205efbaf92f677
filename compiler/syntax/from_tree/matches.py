"""MATCH_RECOGNIZE: its clauses, and patterns of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from compiler.syntax import nodes
from compiler.syntax.from_tree.arguments import Arguments
from compiler.syntax.from_tree.functions import OFFSET, call
from compiler.syntax.nodes import WRITTEN
from compiler.syntax.refusal import RefusalError

SHAPE = (
    "write MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES last(b.ts) AS until PATTERN (a b+) "
    "WITHIN INTERVAL 1 HOUR DEFINE b AS b.x > a.x)"
)


@dataclass(frozen=True)
class Clause:
    """A clause of MATCH_RECOGNIZE: its words, and the arguments of the node that it gives."""

    words: str
    arguments: dict[str, Any]


def matched(item: exp.Expression, match: nodes.MatchRecognize) -> nodes.MatchRecognize:
    """A relation and the pattern that is looked for in its rows."""
    match.set("this", item)
    return match


def match_recognize(*parts: Any) -> nodes.MatchRecognize:
    """`MATCH_RECOGNIZE (clauses) AS alias`."""
    *clauses, alias = parts
    arguments: dict[str, Any] = {}
    for each in clauses:
        if arguments.keys() & each.arguments.keys():
            raise RefusalError(
                "TVF119", f"{each.words} stands twice in MATCH_RECOGNIZE", help=SHAPE
            )
        arguments.update(each.arguments)
    if "pattern" not in arguments:
        raise RefusalError("TVF119", "MATCH_RECOGNIZE has no PATTERN", help=SHAPE)
    return nodes.MatchRecognize(clauses=nodes.MatchClauses(**arguments), alias=alias)


def match_partition(*keys: exp.Expression) -> Clause:
    """`PARTITION BY a, b`."""
    return Clause("PARTITION BY", {"partition": keys})


def match_order(order: exp.Order) -> Clause:
    """`ORDER BY ts, a`."""
    return Clause("ORDER BY", {"order": order})


def match_measures(*measures: exp.Alias) -> Clause:
    """`MEASURES a.x AS y, …`."""
    return Clause("MEASURES", {"measures": measures})


def match_measure(value: exp.Expression, name: exp.Identifier) -> exp.Alias:
    """`a.x AS y`."""
    return exp.Alias(this=_with_offsets(value), alias=name)


def match_rows(rows: str, empty: str | None = None) -> Clause:
    """`ONE ROW PER MATCH`, `ALL ROWS PER MATCH OMIT EMPTY MATCHES`."""
    return Clause("ROWS PER MATCH", {"rows": f"{rows} {empty}" if empty else rows})


def match_skip(words: str, variable: exp.Identifier | None = None) -> Clause:
    """`AFTER MATCH SKIP TO LAST b`."""
    where = words.removeprefix("AFTER MATCH SKIP ")
    return Clause("AFTER MATCH SKIP", {"skip": where, "skip_to": variable})


def match_pattern(pattern: exp.Expression) -> Clause:
    """`PATTERN (a b+)`."""
    return Clause("PATTERN", {"pattern": pattern})


def match_within(length: exp.Expression) -> Clause:
    """`WITHIN INTERVAL 1 HOUR`."""
    return Clause("WITHIN", {"within": length})


def match_subsets(*subsets: nodes.MatchSubset) -> Clause:
    """`SUBSET u = (a, b), …`."""
    return Clause("SUBSET", {"subsets": subsets})


def match_subset(name: exp.Identifier, variables: list[exp.Identifier]) -> nodes.MatchSubset:
    """`u = (a, b)`."""
    return nodes.MatchSubset(this=name, expressions=list(variables))


def match_define(*definitions: exp.Alias) -> Clause:
    """`DEFINE a AS a.x > 1, …`."""
    return Clause("DEFINE", {"defines": definitions})


def match_definition(name: exp.Identifier, condition: exp.Expression) -> exp.Alias:
    """`a AS a.x > 1`."""
    return exp.Alias(this=_with_offsets(condition), alias=name)


def row_choice(*patterns: exp.Expression) -> nodes.RowChoice:
    """`a | b`."""
    return nodes.RowChoice(expressions=list(patterns))


def row_sequence(*patterns: exp.Expression) -> nodes.RowSequence:
    """`a b`."""
    return nodes.RowSequence(expressions=list(patterns))


Times = tuple[int, int | None]


def row_repeat(pattern: exp.Expression, quantifier: tuple[Times, bool]) -> nodes.RowRepeat:
    """`a+?`."""
    (least, most), reluctant = quantifier
    return nodes.RowRepeat(this=pattern, least=least, most=most, reluctant=reluctant)


def row_quantifier(times: Times) -> tuple[Times, bool]:
    """`+`."""
    return times, False


def row_reluctant(times: Times) -> tuple[Times, bool]:
    """`+?`."""
    return times, True


def row_any() -> Times:
    """`*`."""
    return 0, None


def row_some() -> Times:
    """`+`."""
    return 1, None


def row_maybe() -> Times:
    """`?`."""
    return 0, 1


def row_exactly(count: exp.Expression) -> Times:
    """`{2}`."""
    number = _number(count)
    return number, number


def row_between(least: exp.Expression | None, most: exp.Expression | None) -> Times:
    """`{2,5}`, `{2,}`, `{,5}`."""
    low = 0 if least is None else _number(least)
    high = None if most is None else _number(most)
    if high is not None and high < low:
        raise RefusalError(
            "TVF119",
            f"a quantifier of at least {low} and at most {high}",
            help=f"write the lesser number first: {{{high},{low}}}",
        )
    return low, high


def _number(node: exp.Expression) -> int:
    if not isinstance(node, exp.Literal) or not node.name.isdigit() or len(node.name) > 9:
        raise RefusalError(
            "TVF119",
            "the bounds of a quantifier are whole numbers",
            node.meta.get("span"),
            help="write a{2,5}",
        )
    return int(node.name)


def row_variable(name: exp.Identifier) -> nodes.RowVariable:
    """`a`."""
    return nodes.RowVariable(this=name)


def row_empty() -> nodes.RowSequence:
    """`()`: no row."""
    return nodes.RowSequence(expressions=[])


def row_excluded(pattern: exp.Expression) -> nodes.RowExcluded:
    """`{- a -}`."""
    return nodes.RowExcluded(this=pattern)


def row_permute(*patterns: exp.Expression) -> nodes.RowPermute:
    """`PERMUTE(a, b)`."""
    return nodes.RowPermute(expressions=list(patterns))


def row_anchor() -> exp.Expression:
    """`^`, the first row of a partition."""
    raise RefusalError(
        "TVF510",
        "the anchor ^ of row patterns is not supported",
        help="find the first row of a partition by a condition, such as DEFINE a AS prev(a.ts) IS "
        "NULL",
    )


def match_scope(kind: str, name: exp.Identifier, given: Arguments | None) -> nodes.MatchScope:
    """`FINAL last(a.x)`."""
    return nodes.MatchScope(this=call(name, given), kind=kind)


def _with_offsets(value: exp.Expression) -> exp.Expression:
    """An expression whose `last(a.x, 1)` have both of their arguments."""

    def whole(node: exp.Expression) -> exp.Expression:
        offset = node.meta.get(OFFSET)
        if offset is None:
            return node
        name = node.meta[WRITTEN].name
        found = exp.Anonymous(this=name, expressions=[node.this, offset])
        found.meta.update(node.meta)
        return found

    return value.transform(whole, copy=False)


RULES: tuple[Any, ...] = (
    match_define,
    match_definition,
    match_measure,
    match_measures,
    match_order,
    match_partition,
    match_pattern,
    match_recognize,
    match_rows,
    match_scope,
    match_skip,
    match_subset,
    match_subsets,
    match_within,
    matched,
    row_any,
    row_anchor,
    row_between,
    row_choice,
    row_empty,
    row_exactly,
    row_excluded,
    row_maybe,
    row_permute,
    row_quantifier,
    row_reluctant,
    row_repeat,
    row_sequence,
    row_some,
    row_variable,
)
