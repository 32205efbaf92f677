"""The detectors, in the order in which they are asked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Diagnostic, Label
from compiler.source import Span
from compiler.syntax.from_tree.types import TYPE_NAMES
from compiler.syntax.mistakes.brackets import unbalanced
from compiler.syntax.mistakes.calls import wrong_call
from compiler.syntax.mistakes.conditions import missing_connector, wrong_condition
from compiler.syntax.mistakes.declarations import wrong_declaration
from compiler.syntax.mistakes.expected import unexpected
from compiler.syntax.mistakes.habits import foreign_habit
from compiler.syntax.mistakes.intervals import computed_interval, missing_interval
from compiler.syntax.mistakes.missing import (
    emit_out_of_place,
    frame_without_between,
    keyword_behind_as,
    missing_is,
    missing_parentheses,
    name_for_string,
    reserved_word,
    string_for_name,
    watermark_outside,
    watermark_without_as,
    wrong_character,
    wrong_unit,
)
from compiler.syntax.mistakes.order import (
    condition_without_join,
    empty_clause,
    out_of_order,
    partition_after_order,
    trailing_comma,
)
from compiler.syntax.mistakes.pipes import wrong_pipe
from compiler.syntax.mistakes.repairs import (
    by_without_its_word,
    incomplete_phrase,
    joined_phrase,
    missing_comma,
    missing_comma_before_name,
    missing_from,
    missing_join,
    missing_keyword,
    missing_on,
    missing_word,
    misspelt_keyword,
    superfluous,
    view_without_as,
    window_without_as,
)
from compiler.syntax.mistakes.semicolons import missing_semicolon
from compiler.syntax.mistakes.statements import wrong_statement
from compiler.syntax.mistakes.streaming import foreign_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.source import SourceText
    from compiler.syntax.mistakes.failure import Failure
    from compiler.syntax.refusal import RefusalError

# From the surest sign to the widest guess.
DETECTORS: tuple[Callable[[Failure], Diagnostic | None], ...] = (
    wrong_character,
    wrong_statement,
    foreign_stream,
    missing_semicolon,
    foreign_habit,
    wrong_pipe,
    computed_interval,
    wrong_declaration,
    keyword_behind_as,
    missing_is,
    wrong_condition,
    frame_without_between,
    trailing_comma,
    emit_out_of_place,
    missing_parentheses,
    empty_clause,
    condition_without_join,
    wrong_unit,
    missing_interval,
    watermark_outside,
    wrong_call,
    misspelt_keyword,
    joined_phrase,
    window_without_as,
    by_without_its_word,
    incomplete_phrase,
    missing_join,
    partition_after_order,
    out_of_order,
    unbalanced,
    string_for_name,
    name_for_string,
    watermark_without_as,
    view_without_as,
    missing_word,
    missing_keyword,
    missing_on,
    missing_comma,
    missing_comma_before_name,
    missing_from,
    missing_connector,
    reserved_word,
    superfluous,
)


def explain(failure: Failure) -> Diagnostic:
    """The diagnostic for a parse that stopped."""
    for detector in DETECTORS:
        diagnostic = detector(failure)
        if diagnostic is not None:
            return diagnostic
    return unexpected(failure)


def improve(refusal: RefusalError, source: SourceText, span: Span) -> Diagnostic:
    """The diagnostic for a refusal, where the words beside it tell more than it knew."""
    diagnostic = refusal.diagnostic(span)
    if refusal.code != "TVF108":
        return diagnostic
    where = diagnostic.labels[0].span
    before = source.text[: where.start].rstrip()
    word = re.split(r"[\s(,]", before)[-1].upper()
    if word == "WATERMARK":
        keyword = Span(len(before) - len(word), len(before))
        return _watermark_without_for(source.slice(where), keyword)
    if word in TYPE_NAMES:
        return replace(diagnostic, help=f"the name comes first: {source.slice(where)} {word}")
    return diagnostic


def _watermark_without_for(column: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "TVF117",
        "WATERMARK needs FOR before its column",
        (Label(span, "expected WATERMARK FOR"),),
        (),
        f"write WATERMARK FOR {column} AS {column} - INTERVAL 1 MINUTE",
    )
