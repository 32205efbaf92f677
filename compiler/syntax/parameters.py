"""`:name` in a query: the value that it has been given stands there, before anything is parsed.

A value is a literal of SQL and nothing else, so that a query with its values is one that somebody
could have written; Spark does the same with the arguments of its own `sql()`.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.diagnostics.diagnostic import CompileError
from compiler.source import SourceText
from compiler.syntax.parse import parse_query
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.lexer import Tokens, tokenize

_WORDS = frozenset({"TRUE", "FALSE", "NULL"})
_TYPES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME"})
_VALUES = ("NUMBER", "STRING")
_UNITS = frozenset(
    ending
    for unit in (
        *("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE"),
        *("SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"),
    )
    for ending in (unit, f"{unit}S")
) | {"TO"}


class ParameterError(Exception):
    """A value is no literal."""


def with_parameters(source: SourceText, values: Mapping[str, str]) -> tuple[SourceText, set[str]]:
    """A text with values in place of `:name`, and the names that it has.

    Args:
        source: the text.
        values: literals of SQL by name; the case of names counts, as in Spark.

    Raises:
        ParameterError: a value is no literal.
    """
    literals = {name: _literal(name, value) for name, value in values.items()}
    try:
        tokens = tokenize(source.text)
    except RefusalError:
        # It is said with its place when the text is parsed.
        return source, set(values)
    parts: list[str] = []
    found: set[str] = set()
    copied = 0
    for place in _places(tokens):
        name = tokens.texts[place + 1]
        if name in literals:
            found.add(name)
            parts += [source.text[copied : tokens.starts[place]], literals[name]]
            copied = tokens.ends[place + 1]
    return SourceText(source.name, "".join([*parts, source.text[copied:]])), found


def _places(tokens: Tokens) -> list[int]:
    """Where `:name` stands, written together; `a:name`, as in a type, is something else."""
    return [
        place
        for place, kind in enumerate(tokens.types[:-1])
        if kind == ":"
        and tokens.ends[place] == tokens.starts[place + 1]
        and tokens.texts[place + 1].isidentifier()
        and not (
            place
            and tokens.ends[place - 1] == tokens.starts[place]
            and _ends_a_name(tokens, place - 1)
        )
    ]


def _ends_a_name(tokens: Tokens, place: int) -> bool:
    last = tokens.texts[place][-1:]
    return last.isalnum() or last in ("_", "`", ")", "]")


def _literal(name: str, value: str) -> str:
    """A value as it is written into the query.

    Raises:
        ParameterError: it is no literal.
    """
    text = value.strip()
    try:
        is_literal = _is_literal(text, tokenize(text))
        if is_literal:
            parse_query(f"SELECT {text}")
    except (RefusalError, CompileError):
        is_literal = False
    if not is_literal:
        raise ParameterError(
            f"the value of the parameter `{name}` is no literal of SQL; write a number, a "
            f"string in quotes on one line (--param \"{name}='…'\"), TRUE, DATE '2026-01-31', "
            "TIMESTAMP '2026-01-31 12:00:00' or INTERVAL 5 MINUTES"
        )
    return f"({text})" if text[0] in "+-" else text


def _is_literal(text: str, tokens: Tokens) -> bool:
    # A comment would go on behind the value, and a line end would move what follows.
    gaps = zip([0, *tokens.ends[:-1]], tokens.starts, strict=True)
    if any(text[end:start].strip() for end, start in gaps) or "\n" in text or "\r" in text:
        return False
    match [
        kind if kind in _VALUES else word.upper()
        for kind, word in zip(tokens.types[:-1], tokens.texts, strict=False)
    ]:
        case [kind]:
            return kind in _VALUES or kind in _WORDS
        case ["-" | "+", "NUMBER"]:
            return True
        case [kind, "STRING"] if kind in _TYPES:
            return True
        case ["INTERVAL", *rest]:
            return all(each in _VALUES or each in _UNITS or each == "-" for each in rest)
        case kinds:
            # Strings side by side are one, and so is one with a doubled quote.
            return set(kinds) == {"STRING"}
