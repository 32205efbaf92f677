"""YAML text to scenarios; whatever is not understood is refused, with what to write instead."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from scenario.model import Row, RowsByName, Scenario, ScenarioError, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

TOP_KEYS = (
    "title",
    "query",
    "params",
    "steps",
    "tables",
    "error",
    "warnings",
    "ordered",
    "splits",
)
STEP_KEYS = (
    "rows",
    "now",
    "restart",
    "expect",
    "snapshot",
    "late",
    "bad",
    "state_rows",
    "never_due",
    "without_time",
)


class _Loader(yaml.SafeLoader):
    """YAML without its own reading of dates and fractions.

    YAML would make `2024-10-27T02:45:00` a UTC time and `1.000001` a binary fraction; what such
    a text means depends on the type of its column, so both stay as written.
    """


_KEPT_AS_TEXT = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:float")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _KEPT_AS_TEXT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_file(path: Path) -> list[Scenario]:
    """The scenarios of a file, in order."""
    try:
        documents = list(yaml.load_all(path.read_text(encoding="utf-8"), Loader=_Loader))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: this is not YAML: {error}") from error
    documents = [document for document in documents if document is not None]
    if not documents:
        raise ScenarioError(f"{path}: the file holds no scenario")
    return [_scenario(path, number, each) for number, each in enumerate(documents, start=1)]


def _scenario(path: Path, number: int, document: Any) -> Scenario:
    where = f"{path}: document {number}"
    if not isinstance(document, dict):
        raise ScenarioError(f"{where}: write a mapping with the keys title, query and steps")
    title = _required_text(document, "title", where)
    where = f"{path}: `{title}`"
    _known_keys(document, TOP_KEYS, where)
    if ("steps" in document) == ("error" in document):
        raise ScenarioError(f"{where}: write either `steps` or `error`")
    if document.get("splits", "invariant") != "invariant":
        raise ScenarioError(f"{where}: `splits` is `invariant` or left out")
    return Scenario(
        path=path,
        title=title,
        query=_required_text(document, "query", where),
        steps=tuple(_steps(document.get("steps", []), where)),
        tables=_rows_by_name(document.get("tables", {}), f"{where}, tables"),
        error=_error(document, where),
        warnings=_codes(document.get("warnings", []), where),
        ordered=_flag(document, "ordered", where),
        invariant="splits" in document,
        parameters=_parameters(document.get("params", {}), where),
    )


def _required_text(document: dict[str, Any], key: str, where: str) -> str:
    value = document.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ScenarioError(f"{where}: `{key}` is missing; write `{key}: <text>`")
    return value


def _flag(document: dict[str, Any], key: str, where: str) -> bool:
    value = document.get(key, False)
    if not isinstance(value, bool):
        raise ScenarioError(f"{where}: `{key}` is true or false, not {value!r}")
    return value


def _error(document: dict[str, Any], where: str) -> str | None:
    error = document.get("error")
    if error is None and "error" not in document:
        return None
    return _codes([error], where)[0]


def _parameters(values: Any, where: str) -> dict[str, str]:
    if not isinstance(values, dict) or not all(isinstance(each, str) for each in values):
        raise ScenarioError(f"{where}: `params` has a literal of SQL for each name")
    return {
        name: str(value).upper() if isinstance(value, bool) else str(value)
        for name, value in values.items()
    }


def _codes(codes: Any, where: str) -> tuple[str, ...]:
    if not isinstance(codes, list):
        raise ScenarioError(f"{where}: `warnings` is a list of codes, such as [TVFW401]")
    for code in codes:
        if not isinstance(code, str) or not code.startswith("TVF"):
            raise ScenarioError(f"{where}: {code!r} is no code; codes look like TVF301 or TVFW401")
    return tuple(codes)


def _known_keys(mapping: dict[Any, Any], known: Iterable[str], where: str) -> None:
    for key in mapping:
        if key in known:
            continue
        nearest = get_close_matches(str(key), list(known), n=1, cutoff=0.5)
        hint = f"did you mean `{nearest[0]}`?" if nearest else f"known keys: {', '.join(known)}"
        raise ScenarioError(f"{where}: unknown key `{key}`; {hint}")


def _steps(steps: Any, where: str) -> Iterable[Step]:
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise ScenarioError(f"{where}: `steps` is a list of mappings, one a step")
    for number, step in enumerate(steps, start=1):
        yield _step(number, step, f"{where}, step {number}")


def _step(number: int, step: dict[str, Any], where: str) -> Step:
    rows = {key: value for key, value in step.items() if key not in STEP_KEYS}
    under_rows = step.get("rows", {})
    if not isinstance(under_rows, dict):
        raise ScenarioError(f"{where}: `rows` is a mapping from source to rows")
    twice = rows.keys() & under_rows.keys()
    if twice:
        raise ScenarioError(f"{where}: `{min(twice)}` stands both under `rows` and beside it")
    restart = _flag(step, "restart", where)
    if restart and len(step) > 1:
        raise ScenarioError(f"{where}: `restart: true` stands alone in its step")
    return Step(
        number=number,
        rows=_rows_by_name(rows | under_rows, where),
        now=step.get("now"),
        restart=restart,
        expect=_expectation(step, "expect", where),
        snapshot=_expectation(step, "snapshot", where),
        late=_rows_by_name(step["late"], f"{where}, late") if "late" in step else None,
        bad=_rows_by_name(step["bad"], f"{where}, bad") if "bad" in step else None,
        state_rows=_number_of_rows(step, "state_rows", where),
        never_due=_number_of_rows(step, "never_due", where),
        without_time=_number_of_rows(step, "without_time", where),
    )


def _number_of_rows(step: dict[str, Any], key: str, where: str) -> int | None:
    number = step.get(key)
    if number is not None and (not isinstance(number, int) or number < 0):
        raise ScenarioError(f"{where}: `{key}` is a number of rows, not {number!r}")
    return number


def _expectation(step: dict[str, Any], key: str, where: str) -> dict[str | None, list[Row]] | None:
    if key not in step:
        return None
    value = step[key]
    if isinstance(value, dict):
        named: dict[str | None, list[Row]] = {}
        named.update(_rows_by_name(value, f"{where}, {key}"))
        return named
    return {None: _rows(value, f"{where}, {key}")}


def _rows_by_name(value: Any, where: str) -> RowsByName:
    if not isinstance(value, dict):
        raise ScenarioError(f"{where}: write a mapping from name to rows, not {value!r}")
    return {str(name): _rows(rows, f"{where}, {name}") for name, rows in value.items()}


def _rows(value: Any, where: str) -> list[Row]:
    if not isinstance(value, list) or not all(isinstance(row, list | dict) for row in value):
        raise ScenarioError(f"{where}: write a list of rows, each a list or a mapping: [[1, a]]")
    return value
