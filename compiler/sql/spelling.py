"""One spelling for SQL that can be written in several ways, to compare it across compiles.

Texts of one spelling mean the same. The reverse need not hold: tokens are compared, not trees, so
that nothing is taken for equal that SQL could tell apart, as parsers do with CAST and TRY_CAST.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from compiler.sql.names import parts_of, quoted_name
from compiler.syntax.tokens.lexer import tokenize

_SYMBOLS = {"!=": "<>", "==": "="}
_UNITS = frozenset(
    {"year", "quarter", "month", "week", "day", "hour", "minute", "second"}
    | {"millisecond", "microsecond", "nanosecond"}
)
_QUERIES = frozenset({"select", "from", "table", "values", "with"})
_KEY_SETS = frozenset({"rollup", "cube", "sets"})
_FIELDS = frozenset({"struct", "named_struct", "arrays_zip"})
"""Functions whose results have fields named as columns are written."""


def one_spelling(sql: str, relations: Mapping[str, str] | None = None) -> str:
    """SQL of an expression in the one spelling of all that differ in what does not matter.

    That is spaces, comments, the case of words and names, quotes that could be others or none, the
    plural of units in intervals, and parentheses around the whole.

    Args:
        sql: the text.
        relations: aliases in lower case, and what is to stand for each as a qualifier.
    """
    tokens = tokenize(sql)
    words = [_word(*each) for each in zip(tokens.types, tokens.texts, strict=True)][:-1]
    keeps_case = _names_fields(words)
    words = [
        each.lower() if _is_word(each) and (after == "(" or not keeps_case) else each
        for each, after in zip(words, [*words[1:], ""], strict=True)
    ]
    words = _with_units(words)
    if relations and not _is_query(words) and not _parameters(words) & set(relations):
        words = _with_relations(words, relations)
    return _joined(_without_parentheses(words))


def _word(kind: str, text: str) -> str:
    """A token, quoted only if it must be."""
    if kind == "STRING":
        inner = text[1:-1]
        is_plain = text[0] in "'\"" and not set(inner) & set("'\"\\")
        return f"'{inner}'" if is_plain else text
    if kind == "QUOTED_NAME":
        return quoted_name(text[1:-1].replace("``", "`"))
    if kind == "NUMBER":
        return text.lower()
    return _SYMBOLS.get(text, text)


def _is_word(word: str) -> bool:
    """Whether a token is a keyword or a name, quoted or not."""
    return (word[0].isalpha() and "'" not in word and '"' not in word) or word[0] in "_`"


def _names_fields(words: list[str]) -> bool:
    """Whether fields of structs may be named as columns are written: then their case counts."""
    plain = [each.lower() for each in words]
    if _FIELDS & set(plain):
        return True
    # Several values in parentheses are a struct, but for arguments, parameters and sets of keys.
    opened: list[tuple[bool, bool]] = []
    for before, word, after in zip(["", *plain], plain, [*plain[1:], ""], strict=False):
        if word == "(":
            opened.append((not _is_word(before or " "), False))
        elif word == "," and opened:
            opened[-1] = opened[-1][0], True
        elif word == ")" and opened and opened.pop() == (True, True) and after != "->":
            return not _KEY_SETS & set(plain)
    return False


def _with_units(words: list[str]) -> list[str]:
    """The units of intervals in the singular, and their numbers without quotes."""
    found = list(words)
    for place, word in enumerate(words):
        at = place + 1 if word.lower() == "interval" else len(words)
        at += at < len(words) and words[at] in ("+", "-")
        while at + 1 < len(words) and words[at].strip("'").isdigit():
            unit = words[at + 1].lower()
            if unit.removesuffix("s") not in _UNITS:
                break
            found[at : at + 2] = words[at].strip("'"), unit.removesuffix("s")
            at += 2
    return found


def _is_query(words: list[str]) -> bool:
    """Whether there may be relations in an expression, which are called as they like."""
    inner = any(before == "(" and word in _QUERIES for before, word in pairwise(words))
    return inner or "select" in words


def _parameters(words: list[str]) -> set[str]:
    """The names of parameters of functions in an expression: `x -> …`, `(x, y) -> …`."""
    found: set[str] = set()
    for place, word in enumerate(words):
        if word == "->":
            first = place - 1
            while words[place - 1] == ")" and words[first] != "(":
                first -= 1
            found |= {each.lower() for each in words[first:place]}
    return found


def _with_relations(words: list[str], relations: Mapping[str, str]) -> list[str]:
    found = list(words)
    for place, word in enumerate(words[:-1]):
        is_first = words[place + 1] == "." and (not place or words[place - 1] != ".")
        parts = parts_of(word) if is_first else ()
        if len(parts) == 1 and parts[0].lower() in relations:
            found[place] = relations[parts[0].lower()]
    return found


def _without_parentheses(words: list[str]) -> list[str]:
    """The tokens without pairs of parentheses around all of them."""
    closed_at: dict[int, int] = {}
    opened: list[int] = []
    for place, word in enumerate(words):
        if word == "(":
            opened.append(place)
        elif word == ")" and opened:
            closed_at[opened.pop()] = place
    around, last = 0, len(words) - 1
    while around < last - around and closed_at.get(around) == last - around:
        around += 1
    return words[around : len(words) - around]


def _joined(words: list[str]) -> str:
    pieces = words[:1]
    for before, word in pairwise(words):
        is_call = word == "(" and _is_word(before) and before not in ("in", "and", "or", "not")
        is_tight = word in (")", ",", ".", "]", "[") or before in ("(", ".", "[") or is_call
        pieces.append(word if is_tight else f" {word}")
    return "".join(pieces)
