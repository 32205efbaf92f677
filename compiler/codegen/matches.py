"""Steps with MATCH_RECOGNIZE: pattern, conditions and measures as calls of the runtime."""

from __future__ import annotations

from typing import assert_never

from compiler.codegen.fragments import bound, delayed
from compiler.codegen.quoting import literal
from compiler.codegen.writer import Call, Code, assignment, call, function, keyword
from compiler.release.nodes import MatchRows
from compiler.release.patterns import (
    Apply,
    Choice,
    Classifier,
    Excluded,
    Fold,
    MatchNumber,
    Measured,
    Pattern,
    Pick,
    Repeat,
    Sequence,
    Term,
)


def match_step(step: MatchRows, names: dict[str, str]) -> str:
    """The function of a step with a row pattern."""
    define = tuple(_entry(name, _term(term)) for name, term in step.defines)
    measures = tuple(_entry(name, _term(measure)) for name, measure in step.measures)
    arguments: list[Code] = []
    if step.partition:
        arguments.append(keyword("partition", _names(step.partition)))
    arguments.append(keyword("order", _names(step.order)))
    arguments.append(keyword("pattern", _pattern(step.pattern)))
    if define:
        arguments.append(keyword("define", Call("", define, "{}")))
    if measures:
        arguments.append(keyword("measures", Call("", measures, "{}")))
    if step.output:
        arguments.append(keyword("output", _names(step.output)))
    arguments += [f"{name}=True" for name in ("all_rows", "omit_empty") if getattr(step, name)]
    if step.skip != "past last":
        arguments.append(keyword("skip", literal(step.skip)))
    if step.skip_to:
        arguments.append(keyword("skip_to", _names(step.skip_to)))
    if step.within_us is not None:
        arguments.append(keyword("within_us", f"{step.within_us:_}"))
    matching = assignment("matching", call("tvfc.Matching", *arguments), 1)
    ends = [] if step.ends is None else [keyword("ends", bound(step.ends))]
    result = call(
        "job.match",
        delayed(step.input, names),
        "matching",
        keyword("time", literal(step.time)),
        keyword("closes", bound(step.closes)),
        *ends,
    )
    doc = f"Matches of a pattern in rows of {step.input.step}, each when it is final."
    return function(names[step.name], doc, [matching], result)


def _names(names: tuple[str, ...]) -> Call:
    return Call("", tuple(map(literal, names)))


def _entry(name: str, value: Code) -> Code:
    """An entry of a dict."""
    head = f"{literal(name)}: "
    if isinstance(value, Call):
        return Call(head + value.head, value.arguments, value.brackets)
    return head + str(value)


def _pattern(pattern: Pattern) -> Code:
    match pattern:
        case str():
            return literal(pattern)
        case Sequence(parts=parts):
            return call("tvfc.Sequence", Call("", tuple(map(_pattern, parts))))
        case Choice(parts=parts):
            return call("tvfc.Choice", Call("", tuple(map(_pattern, parts))))
        case Excluded(part=part):
            return call("tvfc.Excluded", _pattern(part))
        case Repeat(part=part, least=least, most=most, greedy=greedy):
            counts = [str(least), *([str(most)] if most is not None else [])]
            how = [] if greedy else ["greedy=False"]
            return call("tvfc.Repeat", _pattern(part), *counts, *how)
        case _:
            assert_never(pattern)


def _term(term: Term | Measured) -> Code:
    match term:
        case Pick():
            return call("tvfc.Pick", literal(term.column), *_pick(term))
        case Fold(function=name, column=column, of=of, final=final):
            given = [literal(name), *([literal(column)] if column is not None else [])]
            return call("tvfc.Fold", *given, *_rows(of, final=final))
        case Apply(operator=operator, operands=operands):
            inner = Call("", tuple(map(_term, operands)))
            return call("tvfc.Apply", literal(operator), inner)
        case MatchNumber():
            return call("tvfc.MatchNumber")
        case Classifier():
            return call("tvfc.Classifier")
        case _:
            assert_never(term)


def _pick(pick: Pick) -> list[Code]:
    found: list[Code] = [] if pick.of is None else [keyword("of", _names(pick.of))]
    found += ["first=True"] if pick.first else []
    found += [
        f"{name}={getattr(pick, name)}" for name in ("offset", "shift") if getattr(pick, name)
    ]
    return [*found, *(["final=True"] if pick.final else [])]


def _rows(of: tuple[str, ...] | None, *, final: bool) -> list[Code]:
    found: list[Code] = [] if of is None else [keyword("of", _names(of))]
    return [*found, *(["final=True"] if final else [])]
