"""Which words are keywords where they stand, as far as the words beside them tell.

Spark reserves next to nothing: `SELECT left, filter, over FROM first` is a query. Two things keep
such names legal. Here, a word is made a plain name if what follows or precedes rules the keyword
out, and phrases (GROUP BY) become one token, so that `group` alone is a name. And in
automaton.py, a keyword that the grammar does not expect is read as a name, RESERVED excepted.
"""

from __future__ import annotations

from compiler.syntax.keyword_lists import NAMES, RESERVED, word_types
from compiler.syntax.lexer import END, Tokens
from compiler.syntax.phrase_rules import PHRASE_GUARDS
from compiler.syntax.tables import load_tables
from compiler.syntax.word_rules import word_rules


class Retagger:
    """One walk over the raw tokens that writes the final ones."""

    def __init__(self, raw: Tokens) -> None:
        self.types = raw.types
        self.texts = raw.texts
        self.raw = raw
        self.out = Tokens()
        self.forced: dict[int, str] = {}
        self.type_depth = 0
        self.match_end = 0

    def run(self) -> Tokens:
        """All tokens, words told apart and phrases joined."""
        rules, types, out = word_rules(), self.types, self.out
        phrases = load_tables().phrases
        forced, known = self.forced, word_types()
        index, count = 0, len(types)
        while index < count:
            kind = types[index]
            if index in forced:
                kind = forced[index]
            elif kind in known:
                if self.is_beside_dot(index):
                    kind = "NAME"
                else:
                    if kind in phrases:
                        taken = self.phrase(index, phrases[kind])
                        if taken:
                            index += taken
                            continue
                    rule = rules.get(kind)
                    if rule is not None:
                        kind = rule(self, index)
            else:
                rule = rules.get(kind)
                if rule is not None:
                    kind = rule(self, index)
            if kind:
                self.emit(kind, index, index)
            index += 1
        return out

    def emit(self, kind: str, first: int, last: int) -> None:
        """Write one token that covers the raw tokens from `first` to `last`."""
        out, raw = self.out, self.raw
        out.types.append(kind)
        out.texts.append(raw.texts[first] if first == last else kind.replace("_", " "))
        out.starts.append(raw.starts[first])
        out.ends.append(raw.ends[last])

    def previous(self) -> str:
        """The type of the last token written."""
        return self.out.types[-1] if self.out.types else ""

    def after(self, index: int, distance: int = 1) -> str:
        """The raw type of a token further on."""
        place = index + distance
        return self.types[place] if place < len(self.types) else END

    def is_beside_dot(self, index: int) -> bool:
        """A word before or behind a dot is part of a dotted name."""
        if index and self.types[index - 1] == ".":
            return True
        if self.after(index) != ".":
            return False
        kinds = self.out.types
        ends_case = self.types[index] == "END" and kinds.count("CASE") > kinds.count("END")
        return not ends_case

    def is_name(self, index: int) -> bool:
        """Could the token be a name?"""
        kind = self.types[index] if index < len(self.types) else END
        return kind in NAMES or (kind in word_types() and kind not in RESERVED)

    def phrase(self, index: int, choices: list[tuple[tuple[str, ...], str]]) -> int:
        """Write a phrase that begins here, and say how many tokens it took."""
        for rest, kind in choices:
            if not all(
                self.after(index, distance) == word for distance, word in enumerate(rest, start=1)
            ):
                continue
            guard = PHRASE_GUARDS.get(kind)
            last = index + len(rest)
            if guard is not None and not guard(self, last):
                continue
            if kind.endswith("_<"):
                self.type_depth += 1
            self.emit(kind, index, last)
            return 1 + len(rest)
        return 0


def retag(raw: Tokens) -> Tokens:
    """Raw tokens to the tokens that the grammar is about."""
    return Retagger(raw).run()
