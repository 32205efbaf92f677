"""Text to statements: the front door of the front end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from compiler.diagnostics.diagnostic import CompileError, Diagnostic, Label
from compiler.source import SourceText, Span
from compiler.syntax.automaton import UnexpectedTokenError, run_automaton
from compiler.syntax.nodes.spans import span_of
from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.keywords import retag
from compiler.syntax.tokens.lexer import END, Tokens, tokenize


@dataclass(frozen=True, slots=True)
class Script:
    """The statements of a query file, in order."""

    statements: tuple[exp.Expression, ...]


def parse_query(sql: str) -> exp.Expression:
    """One query, a `;` behind it allowed. Raises CompileError."""
    source = SourceText("<query>", sql)
    statements = _parse_all(source, "query")
    if len(statements) == 1:
        return statements[0]
    span = span_of(statements[1]) if statements else Span(0, max(1, len(sql)))
    message = "one query is wanted, here is another" if statements else "there is no query"
    raise CompileError([Diagnostic("TVF116", message, (Label(span, ""),))], source)


def parse_script(source: SourceText) -> Script:
    """All statements of a text; every statement at fault gives its own diagnostic."""
    return Script(tuple(_parse_all(source, "statement")))


def _parse_all(source: SourceText, start: str) -> list[exp.Expression]:
    diagnostics: list[Diagnostic] = []
    statements: list[exp.Expression] = []
    _refuse_surrogates(source)
    try:
        tokens = retag(tokenize(source.text))
    except RefusalError as refusal:
        raise CompileError([refusal.diagnostic(Span(0, 0))], source) from None
    for part in _split(tokens):
        try:
            statements.append(run_automaton(part, start))
        except RefusalError as refusal:
            diagnostics.append(_improve(refusal, source, Span(part.starts[0], part.ends[-1])))
        except UnexpectedTokenError as unexpected:
            diagnostics.append(_explain(unexpected, part, source, start))
    if diagnostics:
        raise CompileError(diagnostics, source)
    return statements


def _refuse_surrogates(source: SourceText) -> None:
    """Half of a pair is no character, and Spark could not be given it."""
    found = _SURROGATE.search(source.text)
    if found is None:
        return
    label = Label(Span(*found.span()), "half of a surrogate pair")
    help_ = "write the whole character"
    raise CompileError(
        [Diagnostic("TVF101", "half of a surrogate pair is no character", (label,), (), help_)],
        source,
    )


_SURROGATE = re.compile("[\ud800-\udfff]")


def _explain(
    unexpected: UnexpectedTokenError, tokens: Tokens, source: SourceText, start: str
) -> Diagnostic:
    from compiler.syntax.mistakes import Failure, explain  # noqa: PLC0415 (only on errors)

    return explain(Failure(source, tokens, unexpected.index, unexpected.states, start))


def _improve(refusal: RefusalError, source: SourceText, span: Span) -> Diagnostic:
    from compiler.syntax.mistakes import improve  # noqa: PLC0415 (only on errors)

    return improve(refusal, source, span)


def _split(tokens: Tokens) -> list[Tokens]:
    """The tokens of each statement, with an end token of its own."""
    parts: list[Tokens] = []
    begin = 0
    for index, kind in enumerate(tokens.types):
        if kind not in (";", END):
            continue
        if index > begin:
            parts.append(
                Tokens(
                    [*tokens.types[begin:index], END],
                    [*tokens.texts[begin:index], ""],
                    [*tokens.starts[begin:index], tokens.starts[index]],
                    [*tokens.ends[begin:index], tokens.starts[index]],
                )
            )
        begin = index + 1
    return parts
