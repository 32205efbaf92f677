"""A MATCH_RECOGNIZE in a line of text."""

from __future__ import annotations

from compiler.plan.lengths import interval_sql
from compiler.plan.names import is_ours
from compiler.plan.nodes import Match
from compiler.plan.patterns import Apply, Classifier, Fold, MatchNumber, Measured, Pick, shown


def match_label(node: Match) -> str:
    """What is looked for, and when it is known."""
    keys = f" of each {', '.join(node.partition)}" if node.partition else ""
    conditions = ", ".join(f"{name} as {term_text(term)}" for name, term in node.defines)
    define = f" where {conditions}" if conditions else ""
    within = f" within {interval_sql(node.within)}" if node.within is not None else ""
    word = "after" if node.closes_after else "at"
    return (
        f"Match {shown(node.pattern)}{within}{keys} by {', '.join(node.order)}{define}, "
        f"complete {word} {node.closes.sql}"
    )


def term_text(term: Apply | Measured) -> str:
    """A term as SQL would have it."""
    match term:
        case Pick():
            return _pick(term)
        case Fold(function=function, column=column, of=of):
            return f"{function}({_of(of, column or '*')})"
        case MatchNumber():
            return "match_number()"
        case Classifier():
            return "classifier()"
        case Apply(operator=operator, operands=operands):
            texts = [term_text(each) for each in operands]
            if operator.isalpha() and operator not in ("and", "or"):
                return f"{operator}({', '.join(texts)})"
            if len(texts) == 1:
                return f"{operator}({texts[0]})"
            return f"({f' {operator} '.join(texts)})"


def _pick(pick: Pick) -> str:
    text = _of(pick.of, pick.column)
    if pick.first or pick.offset:
        offset = f", {pick.offset}" if pick.offset else ""
        text = f"{'first' if pick.first else 'last'}({text}{offset})"
    if not pick.shift:
        return text
    word, count = ("prev", -pick.shift) if pick.shift < 0 else ("next", pick.shift)
    return f"{word}({text}{f', {count}' if count > 1 else ''})"


def _of(of: tuple[str, ...] | None, column: str) -> str:
    """A column of the rows of some variables; one that has a name of ours is an expression."""
    if of is None:
        return column
    names = of[0] if len(of) == 1 else f"({', '.join(of)})"
    return f"{column} of {names}" if is_ours(column) else f"{names}.{column}"
