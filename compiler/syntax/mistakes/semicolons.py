"""Two statements with no `;` between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.syntax.tokens.keyword_lists import word_types

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_CREATED = frozenset(
    {"SOURCE", "STREAM", "TABLE", "VIEW", "SINK", "OR", "OR REPLACE", "TEMPORARY", "TEMP"}
    | {"MATERIALIZED"}
)


def missing_semicolon(failure: Failure) -> Diagnostic | None:
    """`SELECT a FROM t CREATE SINK s …`: what stands before is whole, and a statement begins."""
    # A word that begins a statement may have been read as an alias: it then stands just before.
    for place in (failure.index, failure.index - 1):
        if place > 0 and _begins_statement(failure, place) and failure.is_whole_before(place):
            word = failure.tokens.texts[place].upper()
            return failure.diagnostic(
                "TVF117",
                f"`;` is missing before {word}",
                "a statement begins here",
                span=failure.tokens.span(place),
                help="end the statement before it with `;`",
            )
    return None


def _begins_statement(failure: Failure, place: int) -> bool:
    word, following = (failure.text_at(place - failure.index + step).upper() for step in (0, 1))
    if word == "CREATE":
        return following in _CREATED
    if word in ("SELECT", "WITH"):
        # A sink and its query are one statement; EXISTS and its query, too.
        is_behind_word = failure.tokens.texts[place - 1].upper() in word_types()
        return place == failure.index and "AS" not in failure.acceptable and not is_behind_word
    return word == "INSERT INTO"
