"""From grammar files to parse tables, by lark. Imported only when tables must be built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lark import Lark
from lark.grammar import NonTerminal, Rule
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import IntParseTable, Shift

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from lark.lexer import TerminalDef


def analyse_grammar(path: Path, starts: Sequence[str]) -> dict[str, Any]:
    """The fields of `Tables` for the grammar at `path`."""
    # The basic lexer is only named here, never run: lexer.py reads the terminals of the grammar
    # itself, because names and keywords can be told apart only beside the parser.
    lark = Lark.open(
        str(path), parser="lalr", lexer="basic", start=list(starts), maybe_placeholders=True
    )
    terminals = _terminal_names(lark.terminals)
    return {
        **_flatten(lark.parser.parser.parser.parse_table, terminals),
        **_lexicon([each.pattern.value for each in lark.terminals if each.name in terminals]),
    }


def _terminal_names(terminals: Collection[TerminalDef]) -> dict[str, str]:
    """Lark's name of a terminal -> ours: its text, phrases with underscores (GROUP_BY, "<=")."""
    return {
        each.name: each.pattern.value.replace(" ", "_")
        for each in terminals
        if isinstance(each.pattern, PatternStr)
    }


def _plain(name: str) -> str:
    """A name without the prefix that lark's %import gives it."""
    return name.replace("spark__", "")


def _flatten(table: IntParseTable, terminals: dict[str, str]) -> dict[str, Any]:
    numbers = {state: number for number, state in enumerate(table.states)}
    rules: list[Rule] = []
    rule_numbers: dict[Rule, int] = {}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for row in table.states.values():
        action_row: dict[str, int] = {}
        goto_row: dict[str, int] = {}
        for mangled, (action, argument) in row.items():
            symbol = terminals.get(mangled) or _plain(mangled)
            if action is not Shift:
                if argument not in rule_numbers:
                    rule_numbers[argument] = len(rules)
                    rules.append(argument)
                action_row[symbol] = -1 - rule_numbers[argument]
            elif mangled in terminals or symbol.isupper():
                action_row[symbol] = numbers[argument]
            else:
                goto_row[symbol] = numbers[argument]
        actions.append(action_row)
        gotos.append(goto_row)
    for state in table.end_states.values():
        # The end of the text is shifted, to nowhere, once the whole has been reduced.
        actions[numbers[state]]["$END"] = numbers[state]
    return {
        "actions": actions,
        "gotos": gotos,
        "rules": [_describe(rule) for rule in rules],
        "start_states": {name: numbers[state] for name, state in table.start_states.items()},
        "end_states": {name: numbers[state] for name, state in table.end_states.items()},
    }


def _describe(rule: Rule) -> tuple[str, int, str, tuple[int, ...] | None]:
    origin = _plain(str(rule.origin.name))
    plan = _plan(rule)
    if origin.startswith("_"):
        action = "_"
    elif rule.alias:
        action = _plain(str(rule.alias))
    elif rule.options.expand1 and len(plan) == 1 and plan[0] >= 0:
        action = ""
    else:
        action = origin
    size = len(rule.expansion)
    whole = plan == tuple(range(size))
    return origin, size, action, None if whole and action else plan


def _plan(rule: Rule) -> tuple[int, ...]:
    """Which values the action gets: punctuation is dropped, `[…]` left out is None."""
    gaps = _gaps(rule)
    plan = [-1] * gaps[0]
    for index, symbol in enumerate(rule.expansion):
        if isinstance(symbol, NonTerminal):
            plan.append(-2 - index if symbol.name.startswith("_") else index)
        elif rule.options.keep_all_tokens or not getattr(symbol, "filter_out", False):
            plan.append(index)
        plan += [-1] * gaps[index + 1]
    return tuple(plan)


def _gaps(rule: Rule) -> list[int]:
    """How many Nones stand before each symbol, and after the last."""
    empty = rule.options.empty_indices
    if not empty:
        return [0] * (len(rule.expansion) + 1)
    return [len(gap) for gap in "".join("1" if each else "0" for each in empty).split("0")]


def _lexicon(texts: list[str]) -> dict[str, Any]:
    """The words, phrases and symbols of the grammar, for the lexer."""
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for text in texts:
        first, *rest = text.split(" ")
        if rest:
            phrases.setdefault(first, []).append((tuple(rest), text.replace(" ", "_")))
    for choices in phrases.values():
        choices.sort(key=lambda choice: -len(choice[0]))
    single = sorted(text for text in texts if " " not in text)
    return {
        "words": [text for text in single if text[0].isalpha()],
        "symbols": [text for text in single if not text[0].isalpha()],
        "phrases": phrases,
    }
