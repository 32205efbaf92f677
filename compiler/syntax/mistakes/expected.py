"""What could have stood where a parse stopped, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.syntax.tokens.lexer import END
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

# Tokens that only together say "an expression may begin here".
_EXPRESSION = frozenset({"NAME", "NUMBER", "STRING", "(", "CASE"})
_QUERY = frozenset({"SELECT", "FROM", "TABLE", "("})
_OPERATORS = frozenset(
    words(
        "= == <> != <=> < <= > >= + - * / % & | ^ || << >> >>> !> !< :: : . [ DIV AND OR IN IS "
        "LIKE ILIKE RLIKE REGEXP BETWEEN NOT COLLATE LIKE_ANY LIKE_ALL LIKE_SOME ILIKE_ANY "
        "ILIKE_ALL ILIKE_SOME"
    )
)
_WORDS = {
    "NAME": "a name",
    "QUOTED_NAME": "",
    "STRING": "a string",
    "NUMBER": "a number",
    "UNIT": "a unit of time such as MINUTES",
    ",": "a comma",
    "(": "`(`",
    ")": "`)`",
    "]": "`]`",
    END: "the end of the query",
    "HINT": "",
    "|>": "",
    ";": "",
}
# The clauses that readers think of first.
_FIRST = (
    "a unit of time such as MINUTES",
    "an expression",
    "a name",
    "`AS`",
    "`)`",
    "`]`",
    "a comma",
    "`FROM`",
    "`WHERE`",
    "`GROUP BY`",
    "`JOIN`",
    "`ON`",
    "`AND`",
    "`THEN`",
    "`END`",
    "`ORDER BY`",
)
_MOST = 4


def unexpected(failure: Failure) -> Diagnostic:
    """The last word: the token, and what was expected instead."""
    wanted = expected_words(failure.acceptable)
    label = f"expected {_listed(wanted)}" if wanted else ""
    if failure.kind == END and failure.index:
        message = f"the query ends too early, after `{failure.text_at(-1)}`"
        help_text = f"go on with {_listed(wanted)}" if wanted else "complete the query"
        return failure.diagnostic("TVF100", message, label, help=help_text)
    place = f" after `{failure.text_at(-1)}`" if failure.index else ""
    or_write = f", or write {_listed(wanted)} before it" if wanted else ""
    return failure.diagnostic(
        "TVF100",
        f"unexpected {failure.shown}{place}",
        label,
        help=f"take {failure.shown} out{or_write}",
    )


def expected_words(acceptable: frozenset[str]) -> list[str]:
    """The acceptable tokens as words, the likeliest first."""
    kinds = set(acceptable)
    words: list[str] = []
    if kinds >= _QUERY:
        words.append("a query")
        kinds -= _QUERY | {"VALUES", "WITH"}
    kinds -= {"MAP", "REDUCE"}  # Hive's, and nobody's wish
    if kinds >= _EXPRESSION:
        words.append("an expression")
        kinds -= {kind for kind in kinds if kind not in ("*", ")")}
    if len(kinds & _OPERATORS) > _MOST:
        kinds -= _OPERATORS - {"AND"} if len(kinds & _OPERATORS) < len(_OPERATORS) else _OPERATORS
        kinds -= {"OVER", "FILTER", "IGNORE_NULLS", "RESPECT_NULLS", "WITHIN_GROUP"}
    named = {_WORDS.get(kind, f"`{kind.replace('_', ' ')}`") for kind in kinds} - {""}
    words += sorted(named, key=lambda word: (_FIRST.index(word) if word in _FIRST else 99, word))
    return words[:_MOST]


def _listed(words: list[str]) -> str:
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} or {words[-1]}"
