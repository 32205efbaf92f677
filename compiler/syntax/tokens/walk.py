"""The walk over the raw tokens that writes the final ones: where it is, and what stands beside.

`keywords.py` drives it; the rules of `phrase_rules.py` and `word_rules.py` ask it what stands
where.
"""

from __future__ import annotations

from compiler.syntax.tokens.keyword_lists import NAMES, RESERVED, word_types
from compiler.syntax.tokens.lexer import END, Tokens


class TokenWalk:
    """Raw tokens, the final ones so far, and what is known by now of those to come.

    `forced` are types of raw tokens that a rule has found out, by their place; `type_depth` is how
    many types are open, `match_end` where the MATCH_RECOGNIZE ends that is being read.
    """

    def __init__(self, raw: Tokens) -> None:
        self.types = raw.types
        self.texts = raw.texts
        self.raw = raw
        self.out = Tokens()
        self.forced: dict[int, str] = {}
        self.type_depth = 0
        self.match_end = 0

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
