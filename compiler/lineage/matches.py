"""Columns that the parts of a row pattern name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.lineage.origins import How
from compiler.plan.patterns import Apply, Classifier, Fold, MatchNumber, Measured, Pick, Term


def columns_of_term(term: Term) -> Iterator[str]:
    """The columns that a condition on a row names."""
    match term:
        case Pick(column=column):
            yield column
        case Fold(column=column):
            yield from () if column is None else (column,)
        case Apply(operands=operands):
            for each in operands:
                yield from columns_of_term(each)
        case _:
            assert_never(term)


def column_of_measure(measure: Measured) -> tuple[str, How] | None:
    """The column of which a measure is made, and how; None: it is made of none."""
    match measure:
        case Pick(column=column):
            return column, How.IDENTITY
        case Fold(column=column):
            return None if column is None else (column, How.AGGREGATION)
        case MatchNumber() | Classifier():
            return None
        case _:
            assert_never(measure)
