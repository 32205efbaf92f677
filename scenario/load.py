"""YAML text to scenarios; what is not understood is refused, with its line and what to write."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from scenario.document import STEP_KEYS, Document
from scenario.model import Scenario, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]
"""The way to a value in a document: keys, and positions in lists from 0."""


# The parser in C is ten times as fast; some builds of PyYAML are without it.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML without its own reading of dates and fractions, in which no key stands twice.

    YAML would make `2024-10-27T02:45:00` a UTC time and `1.000001` a binary fraction; what such
    a text means depends on the type of its column, so both stay as written. Of a key that stands
    twice in a mapping it would take the last, in silence.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:  # noqa: FBT001, FBT002
        """A mapping, unless a key of it stands twice."""
        known: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in known:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key `{key.value}` stands twice", key.start_mark
                    )
                known.add(key.value)
        return super().construct_mapping(node, deep)


_KEPT_AS_TEXT = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:float")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _KEPT_AS_TEXT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_file(path: Path) -> list[Scenario]:
    """The scenarios of a file, in order.

    Raises:
        ScenarioError: the file is no YAML, or what it says is not understood.
    """
    try:
        documents = list(_documents(path.read_text(encoding="utf-8")))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise ScenarioError(f"{path}{line}: this is not YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: this is not YAML: {error}") from error
    if not documents:
        raise ScenarioError(f"{path}: the file holds no scenario")
    return [_scenario(path, *each) for each in documents]


def _documents(text: str) -> Iterator[tuple[yaml.Node, Any]]:
    """The documents that are not empty, as nodes, which know their lines, and as values."""
    loader = _Loader(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            value = loader.construct_document(node)
            if value is not None:
                yield node, value
    finally:
        loader.dispose()


def _scenario(path: Path, node: yaml.Node, value: Any) -> Scenario:
    if not isinstance(value, dict):
        raise ScenarioError(
            f"{path}:{_line(node, ())}: write a mapping with the keys title, query and steps"
        )
    try:
        return Document.model_validate(value).scenario(path)
    except ValidationError as error:
        lines = (f"{path}:{_line(node, each['loc'])}: {_said(each)}" for each in error.errors())
        raise ScenarioError("\n".join(lines)) from error


def _said(error: ErrorDetails) -> str:
    """What is wrong, behind its place in words."""
    place = error["loc"]
    match error["type"]:
        case "invalid_key":
            return f"the key `{place[-1]}` is no text; write it in quotes"
        case "missing":
            return f"`{place[-1]}` is missing; write `{place[-1]}: <text>`"
        case "extra_forbidden":
            known = list(Document.model_fields)
            nearest = get_close_matches(str(place[-1]), known, n=1, cutoff=0.5)
            hint = f"did you mean `{nearest[0]}`?" if nearest else f"known keys: {', '.join(known)}"
            return f"unknown key `{place[-1]}`; {hint}"
        case _ if place[-1:] == ("[key]",):
            return f"the key `{place[-2]}` is no text; write it in quotes"
        case _ if len(place) == len(("steps", 0, "key")) and place[-1] not in STEP_KEYS:
            # A source may be called anything; what has no rows is hardly one.
            near = get_close_matches(str(place[-1]), STEP_KEYS, n=1, cutoff=0.8)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            return f"{_in_words(place)}: {error['msg']}{hint}"
        case _:
            where = _in_words(place)
            return f"{where}: {error['msg']}" if where else error["msg"]


def _in_words(place: Place) -> str:
    """`("steps", 0, "s", 1)` is `step 1, s, row 2`."""
    words = []
    for before, part in zip(("", *place), place, strict=False):
        if isinstance(part, str):
            words.append(part)
        elif before == "steps":
            words[-1] = f"step {part + 1}"
        else:
            words.append(f"row {part + 1}")
    return ", ".join(words)


def _line(node: yaml.Node, place: Place) -> int:
    """The line of a value, or of the nearest thing around it, from 1."""
    line = node.start_mark.line
    for part in place:
        if isinstance(node, yaml.MappingNode):
            found = next((each for each in node.value if each[0].value == part), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line
    return int(line) + 1
