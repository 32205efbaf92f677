"""The only place that lays out Python: calls and method chains, broken where a line is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from compiler.codegen.quoting import INDENT, docstring, sql_block

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Call:
    """`head(arguments)`; other brackets make it a tuple, list or dict.

    With nothing `between` them, strings are parts of one.
    """

    head: str
    arguments: tuple[Code, ...]
    brackets: str = "()"
    between: str = ","


@dataclass(frozen=True, slots=True)
class Chain:
    """A value and the methods called on it, one after the other."""

    links: tuple[Code, ...]


Code: TypeAlias = str | Call | Chain


def call(head: str, *arguments: Code) -> Call:
    """A call."""
    return Call(head, arguments)


def flat(code: Code) -> str:
    """Code on one line."""
    if isinstance(code, str):
        return code
    if isinstance(code, Chain):
        return "".join(flat(link) for link in code.links)
    opening, closing = code.brackets[0], code.brackets[1]
    inner = f"{code.between} ".join(flat(each) for each in code.arguments)
    is_tuple = code.between and code.brackets == "()" and (not code.head or code.head.endswith("="))
    lonely = "," if is_tuple and len(code.arguments) == 1 else ""
    return f"{code.head}{opening}{inner}{lonely}{closing}"


def laid_out(code: Code, depth: int, before: str = "", after: str = "") -> str:
    """`before + code + after` at an indentation; broken if it does not fit a line."""
    line = before + flat(code) + after
    if isinstance(code, str) or len(INDENT) * depth + len(line) <= WIDTH:
        return line
    inner, outer = INDENT * (depth + 1), INDENT * depth
    if isinstance(code, Chain):
        first, *calls = code.links
        if len(calls) == 1 and isinstance(calls[0], Call):
            whole = replace(calls[0], head=flat(first) + calls[0].head)
            return laid_out(whole, depth, before, after)
        links = "".join(f"{inner}{laid_out(link, depth + 1)}\n" for link in code.links)
        return f"{before}(\n{links}{outer}){after}"
    opening, closing = code.brackets[0], code.brackets[1]
    arguments = "".join(
        f"{inner}{laid_out(each, depth + 1, after=code.between)}\n" for each in code.arguments
    )
    return f"{before}{code.head}{opening}\n{arguments}{outer}{closing}{after}"


def keyword(name: str, code: Code) -> Code:
    """`name=code` as an argument."""
    if isinstance(code, Call):
        return replace(code, head=f"{name}={code.head}")
    return f"{name}={flat(code)}"


def assignment(name: str, code: Code, depth: int) -> str:
    """`name = code`, as a statement."""
    return INDENT * depth + laid_out(code, depth, before=f"{name} = ")


def function(name: str, doc: str, statements: list[str], result: Code) -> str:
    """A step of the job: statements that are laid out already, and what it returns."""
    head = [f"def {name}(job: tvfc.Job) -> DataFrame:", docstring([doc], 1)]
    end = INDENT + laid_out(result, 1, before="return ")
    return "\n".join([*head, *statements, end])


Term: TypeAlias = str | tuple[str, ...]
"""A part of a clause of SQL, on one line or on several."""


def clause(word: str, terms: Sequence[Term]) -> list[str]:
    """The lines of a clause of SQL: one if it fits; else each term begins a line."""
    plain = [term for term in terms if isinstance(term, str)]
    line = f"{word} {', '.join(plain)}"
    if len(plain) == len(terms) and len(INDENT) * 2 + len(line) <= WIDTH:
        return [line]
    lines = [word]
    for term in terms:
        first, *rest = (term,) if isinstance(term, str) else term
        lines += [f"  {first}", *rest]
        lines[-1] += ","
    lines[-1] = lines[-1][:-1]
    return lines


def text_block(name: str, lines: list[str]) -> str:
    """`name = \"\"\"…\"\"\"`, as a statement of a function."""
    return f"{INDENT}{name} = {sql_block(lines, 1)}"
