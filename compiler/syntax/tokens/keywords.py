"""Which words are keywords where they stand, as far as the words beside them tell.

Spark reserves next to nothing: `SELECT left, filter, over FROM first` is a query. Two things keep
such names legal. Here, a word is made a plain name if what follows or precedes rules the keyword
out, and phrases (GROUP BY) become one token, so that `group` alone is a name. And in
automaton.py, a keyword that the grammar does not expect is read as a name, RESERVED excepted.
"""

from __future__ import annotations

from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.tokens.keyword_lists import word_types
from compiler.syntax.tokens.lexer import Tokens
from compiler.syntax.tokens.phrase_rules import PHRASE_GUARDS
from compiler.syntax.tokens.walk import TokenWalk
from compiler.syntax.tokens.word_rules import word_rules


def retag(raw: Tokens) -> Tokens:
    """Raw tokens to the tokens that the grammar is about: words told apart, phrases joined."""
    walk = TokenWalk(raw)
    rules, types, out = word_rules(), walk.types, walk.out
    phrases = load_tables().phrases
    forced, known = walk.forced, word_types()
    index, count = 0, len(types)
    while index < count:
        kind = types[index]
        if index in forced:
            kind = forced[index]
        elif kind in known:
            if walk.is_beside_dot(index):
                kind = "NAME"
            else:
                if kind in phrases:
                    taken = _phrase(walk, index, phrases[kind])
                    if taken:
                        index += taken
                        continue
                rule = rules.get(kind)
                if rule is not None:
                    kind = rule(walk, index)
        else:
            rule = rules.get(kind)
            if rule is not None:
                kind = rule(walk, index)
        if kind:
            walk.emit(kind, index, index)
        index += 1
    return out


def _phrase(walk: TokenWalk, index: int, choices: list[tuple[tuple[str, ...], str]]) -> int:
    """Write a phrase that begins here, and say how many tokens it took."""
    for rest, kind in choices:
        if not all(
            walk.after(index, distance) == word for distance, word in enumerate(rest, start=1)
        ):
            continue
        guard = PHRASE_GUARDS.get(kind)
        last = index + len(rest)
        if guard is not None and not guard(walk, last):
            continue
        if kind.endswith("_<"):
            walk.type_depth += 1
        walk.emit(kind, index, last)
        return 1 + len(rest)
    return 0
