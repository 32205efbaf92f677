"""Mistakes found by mending them: an edit that lets the parse go on tells what was wrong."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from compiler.source import Span
from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.mistakes.failure import WHOLE
from compiler.syntax.tokens.keyword_lists import JOIN_WORDS, RESERVED
from compiler.syntax.tokens.lexer import END

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_NEAR = 0.72
_SHORTEST = 3
_BACK = 4
_FAR = 8
# Words between the parts of a construct.
_JOINTS = frozenset({"IN", "FOR", "TO", "PERCENT", "PLACING", "USING", "VIEW"})


@cache
def _keywords() -> frozenset[str]:
    tables = load_tables()
    words = {word for word in tables.words if len(word) > 1}
    for first, choices in tables.phrases.items():
        words.add(first)
        words.update(word for rest, _ in choices for word in rest if word.isalpha())
    return frozenset(words | {"LIMIT", "OFFSET"})


def _near_keywords(word: str) -> list[str]:
    """Keywords of the same letters, then those that agree in most of them."""
    letters = sorted(word)
    swapped = [each for each in _keywords() if sorted(each) == letters]
    return [*swapped, *get_close_matches(word, sorted(_keywords()), n=4, cutoff=_NEAR)]


def misspelt_keyword(failure: Failure) -> Diagnostic | None:
    """`SELECT a FORM t`: of the words just before, one is nearly a keyword that would do."""
    for offset in range(1, -_BACK, -1):
        place = failure.index + offset
        if not 0 <= place < len(failure.tokens.texts):
            continue
        word, span = failure.tokens.texts[place], failure.tokens.span(place)
        if not word.isalpha() or word.upper() in _keywords() or len(word) < _SHORTEST:
            continue
        for near in _near_keywords(word.upper()):
            if failure.mends((span, near)):
                return failure.diagnostic(
                    "TVF113", f"`{word}` is not a keyword", span=span, help=f"did you mean {near}?"
                )
    return None


def by_without_its_word(failure: Failure) -> Diagnostic | None:
    """`AGGREGATE count(*) BY a`."""
    if failure.text_at(-1).upper() != "BY":
        return None
    for phrase in ("GROUP BY", "ORDER BY", "PARTITION BY"):
        if failure.mends((failure.span_at(-1), phrase)):
            return failure.diagnostic(
                "TVF113",
                f"`BY` is only part of {phrase}",
                span=failure.span_at(-1),
                help=f"write {phrase}",
            )
    return None


def window_without_as(failure: Failure) -> Diagnostic | None:
    """`WINDOW w (ORDER BY a)`."""
    if failure.text_at(-1).upper() != "WINDOW" or failure.kind_at(1) != "(":
        return None
    if not failure.mends((Span(failure.span.end, failure.span.end), " AS ")):
        return None
    return failure.diagnostic(
        "TVF117",
        "AS is missing behind the name of the window",
        "expected AS behind this",
        help=f"write WINDOW {failure.text} AS (...)",
    )


def joined_phrase(failure: Failure) -> Diagnostic | None:
    """`GROUPBY a`: a space is missing."""
    kinds = {
        kind.replace("_", "") for choices in load_tables().phrases.values() for _, kind in choices
    }
    for offset in (0, -1, -2):
        word = failure.text_at(offset).upper()
        if word not in kinds:
            continue
        phrase = next(
            kind.replace("_", " ")
            for choices in load_tables().phrases.values()
            for _, kind in choices
            if kind.replace("_", "") == word
        )
        if failure.mends((failure.span_at(offset), phrase)):
            return failure.diagnostic(
                "TVF113",
                f"`{failure.text_at(offset)}` is two words",
                span=failure.span_at(offset),
                help=f"write {phrase}",
            )
    return None


def incomplete_phrase(failure: Failure) -> Diagnostic | None:
    """`GROUP a`, `ORDER a`, `EMIT WINDOW CLOSE`: words of a phrase are missing."""
    phrases = load_tables().phrases
    for offset in (*range(0, -_BACK, -1), 1):
        first = failure.text_at(offset).upper()
        if first in RESERVED:
            continue
        for rest, kind in phrases.get(first, ()):
            words = [first, *rest]
            span = _phrase_span(failure, offset, words)
            if span is not None and failure.mends((span, " ".join(words))):
                phrase = kind.replace("_", " ")
                written = failure.source.slice(span)
                return failure.diagnostic(
                    "TVF113",
                    f"`{written}` is only part of {phrase}",
                    span=span,
                    help=f"write {phrase}",
                )
    return None


def _phrase_span(failure: Failure, offset: int, words: list[str]) -> Span | None:
    """The words of the phrase that stand here, in order; None if all do."""
    place = failure.index + offset
    end, found = place, 1
    for text in failure.tokens.texts[place + 1 : place + len(words)]:
        if text.upper() not in words[1:]:
            break
        end += 1
        found += 1
    if found == len(words):
        return None
    return Span(failure.tokens.starts[place], failure.tokens.ends[end])


def view_without_as(failure: Failure) -> Diagnostic | None:
    """`CREATE VIEW v (SELECT 1)`."""
    if failure.kind not in ("SELECT", "WITH") or failure.kind_at(-1) != "(":
        return None
    opening = failure.span_at(-1)
    if not failure.mends((Span(opening.start, opening.start), " AS ")):
        return None
    return failure.diagnostic(
        "TVF117",
        "AS is missing before the query",
        "expected AS before this",
        span=opening,
        help="write AS SELECT ...",
    )


def missing_word(failure: Failure) -> Diagnostic | None:
    """`CAST(a INT)`, `BETWEEN 1 10`, `WHEN a b`."""
    at = Span(failure.span.start, failure.span.start)
    if "THEN" in failure.acceptable and failure.mends((at, " THEN ")):
        return failure.diagnostic(
            "TVF117", "THEN is missing", "expected THEN", help="write WHEN condition THEN value"
        )
    if _open_word(failure, "BETWEEN") and failure.mends((at, " AND ")):
        return failure.diagnostic(
            "TVF117",
            "AND is missing between the bounds of BETWEEN",
            "expected AND",
            help="write BETWEEN low AND high",
        )
    if "AS" in failure.acceptable and ("," not in failure.acceptable or failure.kind == "SELECT"):
        span = failure.span if failure.kind == "," else at
        if failure.mends((span, " AS ")):
            in_cast = _open_word(failure, "CAST") or _open_word(failure, "TRY_CAST")
            help_text = "write CAST(value AS type)" if in_cast else "write AS SELECT ..."
            return failure.diagnostic("TVF117", "AS is missing here", "expected AS", help=help_text)
    return None


def missing_join(failure: Failure) -> Diagnostic | None:
    """`a LEFT OUTER b ON ...`, `a NATURAL LEFT b`."""
    texts = [text.upper() for text in failure.tokens.texts]
    start = end = failure.index
    while start and texts[start - 1] in JOIN_WORDS:
        start -= 1
    while texts[end] in JOIN_WORDS:
        end += 1
    at = Span(failure.tokens.starts[end], failure.tokens.starts[end])
    if start == end or not failure.mends((at, " JOIN ")):
        return None
    words = " ".join(texts[start:end])
    return failure.diagnostic(
        "TVF117",
        f"{words} needs JOIN behind it",
        "expected JOIN",
        span=failure.tokens.span(end),
        help=f"write {words} JOIN",
    )


def missing_on(failure: Failure) -> Diagnostic | None:
    """`a JOIN b a.x = b.x`: the condition begins at the token at fault, or at the one before."""
    joined = failure.tokens.types[max(0, failure.index - 6) : failure.index]
    if "JOIN" not in joined or "ON" in joined:
        return None
    for offset in (0, -1):
        span = failure.span_at(offset)
        if failure.mends((Span(span.start, span.start), " ON ")):
            return failure.diagnostic(
                "TVF117",
                "ON is missing before the condition of the join",
                "expected ON before this",
                span=span,
                help="write JOIN table ON condition",
            )
    return None


def missing_keyword(failure: Failure) -> Diagnostic | None:
    """`PIVOT (sum(a) FOR b (1, 2))`: one word between two parts lets the rest make sense."""
    if "NAME" in failure.acceptable:
        return None
    at = Span(failure.span.start, failure.span.start)
    for word in sorted(_JOINTS & failure.acceptable):
        if failure.mends((at, f" {word} ")):
            return failure.diagnostic(
                "TVF117",
                f"{word} is missing here",
                f"expected {word}",
                help=f"write {word} before {failure.shown}",
            )
    return None


def missing_from(failure: Failure) -> Diagnostic | None:
    """`SELECT a t WHERE b`."""
    types = failure.tokens.types
    if (
        failure.kind == END
        or "FROM" not in failure.acceptable
        or "FROM" in types[: failure.index + _FAR]
    ):
        return None
    at = Span(failure.span.start, failure.span.start)
    if failure.mends((at, " FROM ")):
        return failure.diagnostic(
            "TVF117",
            "FROM is missing here",
            "expected FROM",
            help=f"write FROM before {failure.shown}",
        )
    return None


def _open_word(failure: Failure, word: str) -> bool:
    """Does the word stand a few tokens before?"""
    return word in failure.tokens.types[max(0, failure.index - 6) : failure.index]


_OPERAND_STARTS = frozenset({"NAME", "QUOTED_NAME", "NUMBER", "STRING", "(", "CASE", "CAST"})


def missing_comma(failure: Failure) -> Diagnostic | None:
    """`SELECT a b c`, `IN (1 2)`: two things stand side by side."""
    is_word = failure.text[:1].isalpha() or failure.kind in _OPERAND_STARTS
    if "," not in failure.acceptable or not is_word or failure.kind_at(-1) == ",":
        return None
    return _comma_before(failure, 0)


def missing_comma_before_name(failure: Failure) -> Diagnostic | None:
    """`SELECT 1 a.b`: the name before the dot was read as an alias."""
    if failure.kind not in (".", "(", "=") or failure.kind_at(-1) not in ("NAME", "QUOTED_NAME"):
        return None
    return _comma_before(failure, -1)


def _comma_before(failure: Failure, offset: int) -> Diagnostic | None:
    span = failure.span_at(offset)
    if not failure.mends((Span(span.start, span.start), ", ")):
        return None
    before, after = failure.text_at(offset - 1), failure.text_at(offset)
    return failure.diagnostic(
        "TVF114",
        f"a comma is missing between `{before}` and `{after}`",
        "expected a comma before this",
        span=span,
        help="put a comma between them",
    )


def superfluous(failure: Failure) -> Diagnostic | None:
    """One token too many: without it the rest makes sense."""
    if failure.kind in (END, ",") or failure.reach([(failure.span, " ")]) < WHOLE:
        return None
    return failure.diagnostic("TVF100", f"{failure.shown} does not belong here", help="take it out")
