"""When the rows of a step are in the result, as columns beside those that it selects."""

from __future__ import annotations

from typing import NamedTuple

from compiler.codegen.fragments import bound, quoted
from compiler.codegen.quoting import literal
from compiler.codegen.writer import Code, call
from compiler.release.nodes import Branch, Carries, Input, Lower, Select, Upper, guard_sql

DUE = "__due"
VALID = "__valid"
TIME = "__time"
DIFF = "__diff"


class Mark(NamedTuple):
    """A column of the clock: its name, and the variable that holds it if it is computed."""

    name: str
    value: Code | None = None
    variable: str | None = None

    @property
    def column(self) -> str:
        """How it is selected."""
        quoted = literal(self.name)
        return f"{self.variable}.alias({quoted})" if self.variable else quoted


def marks_of(step: Select) -> list[Mark]:
    """What the rows of a step carry of the clock."""
    match step.carries:
        case Carries.NOTHING:
            return []
        case Carries.DUE:
            return [Mark(DUE, _due(step), "due")]
        case Carries.UPDATES:
            return [Mark(TIME), Mark(DIFF)]
        case Carries.VALIDITY:
            return [_valid(step)]
        case Carries.VALID_UPDATES:
            return [_valid(step), Mark(TIME), Mark(DIFF)]


def _due(step: Select) -> Code:
    """When rows are due: when all conditions and all inputs say so.

    Partners that alone carry something, as those of a LEFT SEMI JOIN, are not in the rows.
    """
    parts: list[Code] = [_release(branches) for branches in step.releases]
    for each, is_optional in _carrying(step):
        column = call("tvfc.due", literal(_name(each, DUE)))
        parts.append(call("tvfc.if_any", column) if is_optional else column)
    if not parts:
        return "tvfc.at_once()"
    return parts[0] if len(parts) == 1 else call("tvfc.latest", *parts)


def _valid(step: Select) -> Mark:
    """At which clock values rows are in the result: where all conditions and inputs say so."""
    carrying = [each for each, _ in _carrying(step) if each.carries is not Carries.UPDATES]
    if not step.releases and len(carrying) == 1 and carrying[0].carries.has_validity:
        return Mark(_name(carrying[0], VALID))
    parts: list[Code] = [_validity(branches) for branches in step.releases]
    for each, _ in _carrying(step):
        if each.carries.has_validity:
            parts.append(call("tvfc.valid", literal(_name(each, VALID))))
        elif each.carries is Carries.DUE:
            parts.append(call("tvfc.since", call("tvfc.due", literal(_name(each, DUE)))))
    value = parts[0] if len(parts) == 1 else call("tvfc.both", *parts)
    return Mark(VALID, value, "valid")


def _carrying(step: Select) -> list[tuple[Input, bool]]:
    """The inputs that carry something, and whether an outer join may leave them out."""
    found: list[tuple[Input, bool]] = []
    for place, each in enumerate((step.input, *(join.input for join in step.joins))):
        if each.carries is Carries.NOTHING:
            continue
        own = step.joins[place - 1].kind if place else "inner"
        if own in ("leftsemi", "leftanti"):
            continue
        later = {join.kind for join in step.joins[place:]}
        is_optional = own in ("left", "full") or bool(later & {"right", "full"})
        found.append((each, is_optional))
    return found


def _name(side: Input, column: str) -> str:
    return f"{quoted(side.alias)}.{column}" if side.alias else column


def _release(branches: tuple[Branch, ...]) -> Code:
    alternatives = [_guarded(branch, _start(branch) or "tvfc.at_once()") for branch in branches]
    if not alternatives:
        return "tvfc.never()"
    return alternatives[0] if len(alternatives) == 1 else call("tvfc.earliest", *alternatives)


def _validity(branches: tuple[Branch, ...]) -> Code:
    pieces = [_guarded(branch, _piece(branch)) for branch in branches]
    return pieces[0] if len(pieces) == 1 else call("tvfc.any_of", *pieces)


def _piece(branch: Branch) -> Code:
    start, end = _start(branch), _end(branch)
    if start is None and end is None:
        return "tvfc.always()"
    if end is None:
        return call("tvfc.since", start or "")
    return call("tvfc.until", end) if start is None else call("tvfc.between", start, end)


def _start(branch: Branch) -> Code | None:
    """The first clock value of a branch; None: it has no beginning."""
    bounds = [bound(each) for each in branch.lowers]
    if not bounds:
        return None
    return bounds[0] if len(bounds) == 1 else call("tvfc.latest", *bounds)


def _end(branch: Branch) -> Code | None:
    """The first clock value after a branch; None: it has no end."""
    ends = [bound(_after(each)) for each in branch.uppers]
    if not ends:
        return None
    return ends[0] if len(ends) == 1 else call("tvfc.first_of", *ends)


def _after(upper: Upper) -> Lower:
    """What ends a piece begins what follows it: `clock < e` ends where `clock >= e` begins."""
    return Lower(
        bound=upper.bound,
        strict=not upper.strict,
        is_timestamp=upper.is_timestamp,
        about=upper.about,
    )


def _guarded(branch: Branch, value: Code) -> Code:
    if not branch.guards:
        return value
    return call("tvfc.when", literal(" AND ".join(guard_sql(branch))), value)
