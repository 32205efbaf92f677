"""Text to raw tokens: words, names, strings, numbers, symbols, hints; comments are dropped.

A token's type is its text in capitals for the words and symbols of the grammar, and one of
NAME, QUOTED_NAME, STRING, NUMBER, HINT for the rest. Which words are keywords where they
stand is decided later (keywords.py and, beside the grammar, automaton.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from compiler.source import Span
from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable

END = "$END"


@dataclass(slots=True)
class Tokens:
    """Tokens as columns: the type, the text, where it begins and where it ends."""

    types: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def join(self, index: int, count: int, kind: str, text: str) -> str:
        """Make one token of several; answers its type."""
        self.types[index : index + count] = [kind]
        self.texts[index : index + count] = [text]
        self.starts[index : index + count] = [self.starts[index]]
        self.ends[index : index + count] = [self.ends[index + count - 1]]
        return kind

    def span(self, index: int) -> Span:
        """Where a token stands; past the last one, the end of the text."""
        return Span(self.starts[index], self.ends[index])


_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[LlSsYyDdFf])?(?![\w])"
_STRING = r"[rR]?(?:'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
_RAW_STRING = r"[rR](?:'[^']*'|\"[^\"]*\")"
_HEX_STRING = r"[xX](?:'[^']*'|\"[^\"]*\")"
_QUOTED_NAME = r"`(?:[^`]|``)*`"
_LINE_COMMENT = r"--(?:\\\r?\n|[^\r\n])*"


@cache
def _scanner() -> Callable[[str, int], re.Match[str] | None]:
    symbols = sorted(load_tables().symbols, key=len, reverse=True)
    parts = {
        "SPACE": rf"(?:\s+|{_LINE_COMMENT})+",
        "STRING": f"{_RAW_STRING}|{_HEX_STRING}|{_STRING}",
        "NUMBER": _NUMBER,
        "NAME": r"\w+",
        "QUOTED_NAME": _QUOTED_NAME,
        "COMMENT": r"/\*",
        "SYMBOL": "|".join(re.escape(symbol) for symbol in [*symbols, ";", "{", "}"]),
        "WRONG": ".",
    }
    pattern = "|".join(f"(?P<{name}>{part})" for name, part in parts.items())
    return re.compile(pattern, re.DOTALL).match


@cache
def _words() -> dict[str, str]:
    """Every word of the grammar, also those that only begin or continue a phrase."""
    tables = load_tables()
    found = {word: word for word in tables.words}
    for first, choices in tables.phrases.items():
        found[first] = first
        for rest, _ in choices:
            found.update({word: word for word in rest if word.isalpha()})
    return found


def tokenize(text: str) -> Tokens:
    """All tokens of a text, with an $END token behind the last."""
    match = _scanner()
    words = _words()
    tokens = Tokens()
    types, texts, starts, ends = tokens.types, tokens.texts, tokens.starts, tokens.ends
    # A mark of the byte order at the beginning says nothing of UTF-8.
    position, length = int(text.startswith("\ufeff")), len(text)
    while position < length:
        found = match(text, position)
        assert found is not None  # WRONG takes any character
        kind, end = found.lastgroup, found.end()
        if kind == "NAME":
            types.append(words.get(text[position:end].upper(), "NAME"))
        elif kind == "SYMBOL":
            types.append(text[position:end])
        elif kind == "SPACE":
            position = end
            continue
        elif kind == "COMMENT":
            end = _comment_end(text, position)
            if not text.startswith("/*+", position):
                position = end
                continue
            types.append("HINT")
        elif text[position] in _UNCLOSED and kind == "WRONG":
            raise _unclosed(text, position)
        else:
            # WRONG among them: no rule takes it, so its own statement alone fails.
            types.append(str(kind))
        texts.append(text[position:end])
        starts.append(position)
        ends.append(end)
        position = end
    types.append(END)
    texts.append("")
    starts.append(length)
    ends.append(length)
    return tokens


_COMMENT_MARK = re.compile(r"/\*|\*/")


def _comment_end(text: str, start: int) -> int:
    """Behind the `*/` that closes the comment at `start`; comments nest, hints do not."""
    if text.startswith("/*+", start):
        end = text.find("*/", start)
        if end >= 0:
            return end + 2
        span = Span(start, start + 3)
        raise RefusalError("TVF102", "this hint is never closed", span, help="end it with `*/`")
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    raise RefusalError(
        "TVF102",
        "this comment is never closed",
        Span(start, start + 2),
        help="end it with `*/`; a comment inside a comment needs a `*/` of its own",
    )


_UNCLOSED = {"'": "string", '"': "string", "`": "quoted name"}


def _unclosed(text: str, position: int) -> RefusalError:
    character = text[position]
    return RefusalError(
        "TVF102",
        f"this {_UNCLOSED[character]} is never closed",
        Span(position, position + 1),
        help=f"end it with another {character}",
    )
