"""Scripts that say the same in other words: other spaces, case, quotes, comments and names."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Set

from sqlglot import exp

from compiler.source import SourceText
from compiler.syntax import parse_script
from compiler.syntax.nodes import CreateView
from compiler.syntax.tokens.lexer import Tokens, tokenize

SPACES = [" ", "\n", "\t", "  ", " /* a comment */ ", " -- another\n"]
UNITS = frozenset({"second", "minute", "hour", "day", "week"})
DECLARED = frozenset({"SOURCE", "TABLE", "FUNCTION"})
"""What CREATE declares with names, types and options, which say more than they seem to."""


def respelled(script: str, seed: int) -> str:
    """Queries and views with other spaces, comments, case, quotes and units.

    A word is spelled alike wherever it stands, and none otherwise where it may name a field.
    """
    chance = random.Random(seed)
    texts = sorted({each.lower() for each in tokenize(script).texts})
    ways: list[Callable[[str], str]] = (
        [str] if "struct(" in script.lower() else [str.upper, str.lower]
    )
    cases = {text: chance.choice(ways) for text in texts}
    quote = chance.choice("'\"")
    return _each(
        script, lambda tokens: _respelled(tokens, chance, cases, quote), but={*DECLARED, "SINK"}
    )


def with_other_names(script: str, but: Callable[[str], bool]) -> str:
    """Queries whose views and aliases have other names, some of them excepted."""
    statements = parse_script(SourceText("query.sql", script)).statements
    nodes = [node for each in statements for node in each.walk()]
    views = {node.name for node in nodes if isinstance(node, CreateView)}
    aliases = {node.name for node in nodes if isinstance(node, exp.TableAlias)}
    columns = {node.name for node in nodes if isinstance(node, exp.Column | exp.ColumnDef)}
    others = {each.name for each in statements if not isinstance(each, CreateView)}
    names = {each.lower() for each in views | aliases}
    names -= {each.lower() for each in columns | others | {""}}
    names = {each for each in names if each.removesuffix("s") not in UNITS and not but(each)}
    return _each(script, lambda tokens: _renamed(tokens, names), but=DECLARED)


def _each(script: str, change: Callable[[Tokens], Iterator[str]], but: Set[str]) -> str:
    """A script whose statements are changed, but for those that create certain things."""
    return "".join(
        text if but & {each.upper() for each in tokens.texts[:5]} else "".join(change(tokens))
        for text, tokens in _statements(script)
    )


def _statements(script: str) -> Iterator[tuple[str, Tokens]]:
    """The statements, and of one that makes a sink its query apart from what is before AS."""
    tokens = tokenize(script)
    begin = first = 0
    for place, kind in enumerate(tokens.types):
        words = [each.upper() for each in tokens.texts[first : place + 1]]
        is_head = words[:2] == ["CREATE", "SINK"] and words[-1] == "AS"
        if is_head or kind in (";", "$END"):
            part = slice(first, place + 1)
            yield (
                script[begin : tokens.ends[place]],
                Tokens(
                    tokens.types[part], tokens.texts[part], tokens.starts[part], tokens.ends[part]
                ),
            )
            begin, first = tokens.ends[place], place + 1


def _respelled(
    tokens: Tokens, chance: random.Random, cases: dict[str, Callable[[str], str]], quote: str
) -> Iterator[str]:
    before = ["", ""]
    end = 0
    for kind, text, start in zip(tokens.types, tokens.texts, tokens.starts, strict=True):
        word = text
        if kind == "STRING" and text[0] in "'\"" and not set(text[1:-1]) & set("'\"\\"):
            word = f"{quote}{text[1:-1]}{quote}"
        elif before[0].upper() == "INTERVAL" and text.lower().removesuffix("s") in UNITS:
            word = text.lower().removesuffix("s") + chance.choice(["", "s", "S"])
        elif text[:1].isalpha() and kind != "STRING":
            word = cases[text.lower()](text)
        yield (chance.choice(SPACES) if start > end else "") + word
        before, end = [before[1], text], start + len(text)


def _renamed(tokens: Tokens, names: set[str]) -> Iterator[str]:
    end = 0
    for text, start in zip(tokens.texts, tokens.starts, strict=True):
        yield " " if start > end else ""
        yield f"other_{text}" if text.lower() in names else text
        end = start + len(text)
