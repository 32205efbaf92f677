"""The LALR automaton: tokens in, one value out, every value with its span.

lark builds the tables; its own parser loop would build a tree with no positions, or with them
at twice the price. This loop calls an action per rule as it goes, keeps the offsets on the
stack beside the values, and reads a keyword that the grammar does not expect as a name.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.source import Span
from compiler.syntax.from_tree import ACTIONS, SHIFTS
from compiler.syntax.from_tree.pipes import counter
from compiler.syntax.keywords import RESERVED
from compiler.syntax.lexer import END
from compiler.syntax.refusal import Refusal
from compiler.syntax.tables import load_tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.lexer import Tokens

Reduction = tuple[str, int, "Callable[..., Any] | None", "tuple[int, ...] | None"]


class Unexpected(Exception):
    """A token that no rule can take: where it is and the states that were open."""

    def __init__(self, index: int, states: list[int]) -> None:
        super().__init__(index)
        self.index = index
        self.states = states


@cache
def _reductions() -> list[Reduction]:
    """The rules of the tables, with the action itself instead of its name."""
    return [
        (origin, size, ACTIONS[action] if action not in ("", "_") else None, plan)
        for origin, size, action, plan in load_tables().rules
    ]


@cache
def _words() -> frozenset[str]:
    from compiler.syntax.keywords import _word_types

    return _word_types()


def run_automaton(tokens: Tokens, start: str) -> Any:
    """Parse all tokens from the start rule and answer what its action made."""
    tables = load_tables()
    actions, gotos, reductions = tables.actions, tables.gotos, _reductions()
    words, shifts = _words(), SHIFTS
    state, final = tables.start_states[start], tables.end_states[start]
    states, values = [state], []
    starts: list[int] = []
    ends: list[int] = []
    last_end = 0
    counter.set(0)
    for index, kind in enumerate(tokens.types):
        while True:
            move = actions[state].get(kind)
            if move is None:
                if kind in words and (kind not in RESERVED or _follows_as(tokens, index)):
                    kind = "NAME"
                    continue
                raise Unexpected(index, states)
            if move >= 0:
                break
            origin, size, action, plan = reductions[-1 - move]
            if size:
                first, last = starts[-size], ends[-1]
                taken = values[-size:]
                del values[-size:], starts[-size:], ends[-size:], states[-size:]
            else:
                first = last = last_end
                taken = []
            if action is not None:
                value = _act(action, taken if plan is None else _arrange(taken, plan), first, last)
            elif plan is None or origin[0] == "_":
                value = _gather(taken, plan)
            else:
                value = taken[plan[0]]
            state = gotos[states[-1]][origin]
            if state == final and kind == END:
                return value
            states.append(state)
            values.append(value)
            starts.append(first)
            ends.append(last)
        state = move
        states.append(state)
        first, last_end = tokens.starts[index], tokens.ends[index]
        make = shifts.get(kind)
        text = tokens.texts[index]
        if make is None:
            values.append(text.upper())
        else:
            values.append(_act(make, [text], first, last_end))
        starts.append(first)
        ends.append(last_end)
    raise Unexpected(len(tokens.types) - 1, states)


def _follows_as(tokens: Tokens, index: int) -> bool:
    """Behind AS any word is a name."""
    return index > 0 and tokens.types[index - 1] == "AS"


def _act(action: Callable[..., Any], arguments: list[Any], first: int, last: int) -> Any:
    try:
        value = action(*arguments)
    except Refusal as refusal:
        if refusal.span is None:
            refusal.span = Span(first, last)
        raise
    if isinstance(value, exp.Expression):
        value.meta["span"] = Span(first, last)
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


def _gather(taken: list[Any], plan: tuple[int, ...] | None) -> list[Any]:
    """The value of a list rule; a list that grows on the left is extended, not copied."""
    if plan is None:
        return taken
    if plan and plan[0] < -1:
        items: list[Any] = taken[-2 - plan[0]]
        items.extend(_arrange(taken, plan[1:]))
        return items
    return _arrange(taken, plan)
