"""`IDENTIFIER('a.b')`: the name stands there, before anything is parsed.

What a text says is then a name like any other: of a relation, a column or a function. Texts may be
joined by `||`, as Spark takes them with parameters in between; of other values nothing is known
when compiling, and Spark itself would look for a column among those that a job has made.
"""

from __future__ import annotations

from compiler.source import SourceText
from compiler.sql.names import parts_of, qualified
from compiler.syntax.from_tree.literals import string_token
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.lexer import Tokens, tokenize


def with_names(source: SourceText) -> SourceText:
    """A text with names in place of IDENTIFIER of texts."""
    if "identifier" not in source.text.lower():
        return source
    try:
        tokens = tokenize(source.text)
    except RefusalError:
        # It is said with its place when the text is parsed.
        return source
    parts: list[str] = []
    copied = place = 0
    while place < len(tokens.types) - 1:
        end, name = _name_at(tokens, place)
        if name:
            parts += [source.text[copied : tokens.starts[place]], name]
            copied = tokens.ends[end]
        place = end + 1
    if not parts:
        return source
    return SourceText(source.name, "".join([*parts, source.text[copied:]]))


def _name_at(tokens: Tokens, place: int) -> tuple[int, str]:
    """The last token of an IDENTIFIER(…) that begins at a place, and the name; empty: none does."""
    is_clause = tokens.types[place] == "IDENTIFIER" and tokens.types[place + 1] == "("
    if not is_clause or (place and tokens.types[place - 1] == ":"):
        return place, ""
    text, at = "", place + 2
    while tokens.types[at] == "STRING":
        text += string_token(tokens.texts[at]).name
        if tokens.types[at + 1] == ")":
            return at + 1, qualified(*parts_of(text)) if parts_of(text) else ""
        if tokens.types[at + 1] != "||":
            break
        at += 2
    return place, ""
