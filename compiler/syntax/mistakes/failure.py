"""What is known where a parse stopped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Diagnostic, Label
from compiler.source import SourceText, Span
from compiler.syntax.automaton import UnexpectedTokenError, follow
from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.keywords import retag
from compiler.syntax.tokens.lexer import END, Tokens, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

# Past any offset: the text parses, or fails only in what it means.
WHOLE = 1 << 60
_MOST_TOKENS = 200_000
_FEWEST_TRIES = 4


@dataclass(frozen=True)
class Failure:
    """One statement, and the token in it that no rule could take."""

    source: SourceText
    tokens: Tokens
    index: int
    states: Sequence[int]
    start: str

    @property
    def kind(self) -> str:
        """The type of the token at fault."""
        return self.tokens.types[self.index]

    @property
    def text(self) -> str:
        """The token at fault as written."""
        return self.tokens.texts[self.index]

    @property
    def span(self) -> Span:
        """Where it stands; the end of the query is the place behind its last token."""
        if self.kind == END and self.index:
            end = self.tokens.ends[self.index - 1]
            return Span(end, end + 1)
        return self.tokens.span(self.index)

    @property
    def shown(self) -> str:
        """The token as messages call it."""
        return "the end of the query" if self.kind == END else f"`{self.text}`"

    def kind_at(self, offset: int) -> str:
        """The type of a token beside the one at fault; none beyond the ends."""
        place = self.index + offset
        return self.tokens.types[place] if 0 <= place < len(self.tokens.types) else ""

    def text_at(self, offset: int) -> str:
        """The text of a token beside the one at fault."""
        place = self.index + offset
        return self.tokens.texts[place] if 0 <= place < len(self.tokens.texts) else ""

    def span_at(self, offset: int) -> Span:
        """The span of a token beside the one at fault."""
        return self.tokens.span(self.index + offset)

    @cached_property
    def acceptable(self) -> frozenset[str]:
        """The tokens that could have stood here."""
        row = load_tables().actions[self.states[-1]]
        return frozenset(kind for kind in row if self._leads_to_shift(kind))

    def _leads_to_shift(self, kind: str) -> bool:
        tables = load_tables()
        states = list(self.states)
        while True:
            move = tables.actions[states[-1]].get(kind)
            if move is None:
                return False
            if move >= 0:
                return True
            origin, size, _, _ = tables.rules[-1 - move]
            del states[len(states) - size :]
            states.append(tables.gotos[states[-1]][origin])

    def reach(self, edits: Sequence[tuple[Span, str]]) -> int:
        """How far the statement parses with edits made, counted in the old text."""
        first = self.tokens.starts[0]
        text, shift = self.source.text[: self.tokens.ends[-1]], 0
        for span, replacement in sorted(edits, key=lambda edit: -edit[0].start):
            text = text[: span.start] + replacement + text[span.end :]
            shift += len(replacement) - (span.end - span.start)
        tokens = Tokens()
        try:
            tokens = retag(tokenize(" " * first + text[first:]))
            follow(tokens, self.start)
        except RefusalError as refusal:
            # What is refused for its meaning stands behind all that parsed.
            return WHOLE if refusal.span is None else refusal.span.start - shift
        except UnexpectedTokenError as unexpected:
            if tokens.types[unexpected.index] == END:
                return self.tokens.ends[-1] + 1
            return tokens.starts[unexpected.index] - shift
        return WHOLE

    def is_whole_before(self, place: int) -> bool:
        """Whether the tokens before a place are a statement by themselves."""
        first, end = self.tokens.starts[0], self.tokens.starts[place]
        try:
            follow(retag(tokenize(" " * first + self.source.text[first:end])), self.start)
        except UnexpectedTokenError:
            return False
        except RefusalError:  # of what it means, so that it has parsed
            return True
        return True

    @cached_property
    def _tries_left(self) -> list[int]:
        """How often the statement may be parsed again: in a long one guesses must be few."""
        return [max(_FEWEST_TRIES, _MOST_TOKENS // len(self.tokens.types))]

    def mends(self, *edits: tuple[Span, str]) -> bool:
        """Do the edits take the parse past the token at fault?"""
        if self._tries_left[0] == 0:
            return False
        self._tries_left[0] -= 1
        return self.reach(edits) > max(self.span.end, self.tokens.starts[self.index])

    def diagnostic(
        self,
        code: str,
        message: str,
        label: str = "",
        *,
        span: Span | None = None,
        others: tuple[Label, ...] = (),
        help: str | None = None,  # noqa: A002 (the word of Diagnostic)
    ) -> Diagnostic:
        """A diagnostic that points at the token at fault, or at another span."""
        return Diagnostic(code, message, (Label(span or self.span, label), *others), (), help)
