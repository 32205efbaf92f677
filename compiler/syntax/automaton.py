"""The LALR automaton: tokens in, one value out, every value with its span.

lark builds the tables; its own parser loop would build a tree with no positions, or with them
at twice the price. This loop calls an action per rule as it goes, keeps the offsets on the
stack beside the values, and reads a keyword that the grammar does not expect as a name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.source import Span
from compiler.syntax.from_tree import ACTIONS, SHIFTS
from compiler.syntax.from_tree.checks import refuse_least
from compiler.syntax.from_tree.literals import string_token, unsigned
from compiler.syntax.from_tree.pipes import counter
from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.nodes.spans import set_span
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.keyword_lists import RESERVED, word_types
from compiler.syntax.tokens.keywords import retag
from compiler.syntax.tokens.lexer import END, tokenize

if TYPE_CHECKING:
    from compiler.syntax.tokens.lexer import Tokens

Reduction = tuple[str, int, "Callable[..., Any]", "tuple[int, ...] | None"]


class UnexpectedTokenError(Exception):
    """A token that no rule can take: where it is and the states that were open."""

    def __init__(self, index: int, states: list[int]) -> None:
        super().__init__(index)
        self.index = index
        self.states = states


@cache
def _reductions() -> list[Reduction]:
    """The rules of the tables, with the action itself instead of its name."""
    return [
        (origin, size, _BUILT_IN.get(action) or ACTIONS[action], plan)
        for origin, size, action, plan in load_tables().rules
    ]


def pass_on(value: Any) -> Any:
    """The action of a rule that has one value and nothing to add."""
    return value


class Stack:
    """The values found so far, with the states behind them and where each stands."""

    __slots__ = ("ends", "last_end", "starts", "states", "values")

    def __init__(self, state: int) -> None:
        self.states = [state]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.last_end = 0

    def shift(self, state: int, value: Any, start: int, end: int) -> None:
        """Put a token's value on top."""
        self.states.append(state)
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)
        self.last_end = end

    def reduce(self, reduction: Reduction, gotos: list[dict[str, int]]) -> int:
        """Replace the values of a rule by the one that its action makes; answers the new state."""
        origin, size, action, plan = reduction
        states, values = self.states, self.values
        first = last = self.last_end
        taken: list[Any] = []
        if size:
            first, last = self.starts[-size], self.ends[-1]
            taken = values[-size:]
            del values[-size:], self.starts[-size:], self.ends[-size:], states[-size:]
        if action is gather:
            value = gather(taken, plan)
        elif action is pass_on and plan is not None:
            value = taken[plan[0]]  # with the span it has: a comma beside it is no part of it
        else:
            value = _act(action, taken if plan is None else _arrange(taken, plan), first, last)
        state = gotos[states[-1]][origin]
        states.append(state)
        values.append(value)
        self.starts.append(first)
        self.ends.append(last)
        return state


def run_automaton(tokens: Tokens, start: str) -> Any:
    """Parse all tokens from the start rule and answer what its action made."""
    tables, reductions = load_tables(), _reductions()
    actions, gotos = tables.actions, tables.gotos
    state = tables.start_states[start]
    stack = Stack(state)
    states = stack.states
    counter.set(0)
    if start != "hint":
        unsigned.set([])
    for index, kind in enumerate(tokens.types):
        while True:
            move = actions[state].get(kind)
            if move is None:
                kind = _as_name(kind, tokens, index, states)
                continue
            if move >= 0:
                break
            reduction = reductions[-1 - move]
            if reduction[2] is pass_on and reduction[1] == 1:
                # Half of all reductions only climb a tier of operators: the value stays put.
                state = states[-1] = gotos[states[-2]][reduction[0]]
            else:
                state = stack.reduce(reduction, gotos)
        if kind == END:
            for node in unsigned.get():
                refuse_least(node)
            return stack.values[0]
        state = move
        first, last = tokens.starts[index], tokens.ends[index]
        stack.shift(state, _value(kind, tokens.texts[index], first, last), first, last)
    raise UnexpectedTokenError(len(tokens.types) - 1, states)


def follow(tokens: Tokens, start: str) -> None:
    """Go through the states for all tokens and make nothing of them; raises UnexpectedTokenError.

    For guesses at a mistake, which ask only how far a text goes.
    """
    tables = load_tables()
    actions, gotos, rules = tables.actions, tables.gotos, tables.rules
    states = [tables.start_states[start]]
    for index, kind in enumerate(tokens.types):
        while True:
            move = actions[states[-1]].get(kind)
            if move is None:
                kind = _as_name(kind, tokens, index, states)
                continue
            if move >= 0:
                break
            rule = rules[-1 - move]
            del states[len(states) - rule[1] :]
            states.append(gotos[states[-1]][rule[0]])
        states.append(move)


def read_hint(text: str, start: int) -> Any:
    """A hint comment is one token to the query, and a small text of its own."""
    inside = tokenize(text[3:-2])
    offset = start + 3
    inside.starts = [offset + each for each in inside.starts]
    inside.ends = [offset + each for each in inside.ends]
    try:
        return run_automaton(retag(inside), "hint")
    except UnexpectedTokenError:
        raise RefusalError(
            "TVF109",
            "a hint is a list of names and calls",
            Span(start, start + len(text)),
            help="write /*+ BROADCAST(orders) */",
        ) from None


def _as_name(kind: str, tokens: Tokens, index: int, states: list[int]) -> str:
    """A keyword out of place is a name; RESERVED ones are so only behind AS.

    IDENTIFIER('a'), where no expression can stand, is the name `a`.
    """
    if kind == "IDENTIFIER" and _holds_a_name(tokens.types, index):
        return _read_name(tokens, index)
    follows_as = index > 0 and tokens.types[index - 1] == "AS"
    if kind not in word_types() or (kind in RESERVED and not follows_as):
        raise UnexpectedTokenError(index, states)
    return "NAME"


def _holds_a_name(types: list[str], index: int) -> bool:
    """IDENTIFIER('a'), but not as a parameter, a hint or the field of EXTRACT."""
    if types[index + 1 : index + 4] != ["(", "STRING", ")"]:
        return False
    return index > 0 and types[index - 1] != ":" and types[index - 2] != "EXTRACT"


def _read_name(tokens: Tokens, index: int) -> str:
    name = string_token(tokens.texts[index + 2]).name
    if "." in name and "`" not in name:
        raise RefusalError(
            "TVF103",
            f"`{name}` is a name of several parts",
            tokens.span(index + 2),
            "expected one name",
            help="write one of its parts",
        )
    quoted = name.strip("`").replace("`", "``")
    return tokens.join(index, 4, "QUOTED_NAME", f"`{quoted}`")


def _value(kind: str, text: str, first: int, last: int) -> Any:
    """The value of a token: a node for names and literals, else its text in capitals."""
    make = SHIFTS.get(kind)
    if make is not None:
        return _act(make, [text], first, last)
    return read_hint(text, first) if kind == "HINT" else text.upper()


def _act(action: Callable[..., Any], arguments: list[Any], first: int, last: int) -> Any:
    try:
        value = action(*arguments)
    except RefusalError as refusal:
        if refusal.span is None:
            refusal.span = Span(first, last)
        raise
    if isinstance(value, exp.Expression):
        set_span(value, Span(first, last))
    return value


def _arrange(taken: list[Any], plan: tuple[int, ...]) -> list[Any]:
    arguments: list[Any] = []
    for place in plan:
        if place >= 0:
            arguments.append(taken[place])
        elif place == -1:
            arguments.append(None)
        else:
            arguments.extend(taken[-2 - place])
    return arguments


def gather(taken: list[Any], plan: tuple[int, ...] | None) -> list[Any]:
    """The value of a list rule; a list that grows on the left is extended, not copied."""
    if plan is None:
        return taken
    if plan and plan[0] < -1:
        items: list[Any] = taken[-2 - plan[0]]
        items.extend(_arrange(taken, plan[1:]))
        return items
    return _arrange(taken, plan)


# What the names "" and "_" of the tables stand for.
_BUILT_IN: dict[str, Callable[..., Any]] = {"": pass_on, "_": gather}
