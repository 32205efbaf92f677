"""The plan of a query as a graph, from the description of its state (checkpoint/state.py).

A node says in a few lines what its operator does, in the words of the query. Options of sources and
sinks are left out, as they may hold passwords.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

Part = Mapping[str, Any]

OUTSIDE = ("table", "static query")
"""What does not stream."""


@dataclass(frozen=True)
class Node:
    """An operator or sink.

    Attributes:
        place: of its part in the description; edges name it by that.
        role: `source`, `table`, `operator` or `sink`.
        title: what it is called.
        kind: what it does: the format of a source or sink, else the operator.
        lines: facts, each a name and what is said.
        waits: whether its rows wait for the clock.
    """

    place: int
    role: str
    title: str
    kind: str
    lines: tuple[tuple[str, str], ...]
    waits: bool


@dataclass(frozen=True)
class Graph:
    """Nodes, and the places of those that an edge leads from and to."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def graph_of(parts: Sequence[Part]) -> Graph:
    """The graph of a query; nothing of one whose job does not describe its state."""
    known = {place for place, part in enumerate(parts) if "operator" in part or "sink" in part}
    edges = (
        (below, place)
        for place in sorted(known)
        for below in dict.fromkeys(inputs_of(parts[place]))
        if below in known
    )
    nodes = tuple(_node(place, parts[place]) for place in sorted(known))
    return Graph(nodes, tuple(edges))


def inputs_of(part: Part) -> Iterator[int]:
    """The places of the parts that a part reads."""
    of = part.get("of", [])
    yield from of if isinstance(of, list) else [of]
    yield from (joined["rows"] for joined in part.get("with", []))
    if "sink" in part and "rows" in part:
        yield part["rows"]
    yield from dict(part.get("tables") or {}).values()


def _node(place: int, part: Part) -> Node:
    lines = tuple((name, text) for name, text in _facts(part) if text)
    waits = bool(part.get("due") or part.get("closed") or part.get("gap"))
    if "sink" in part:
        return Node(place, "sink", str(part["sink"]), str(part.get("format", "")), lines, waits)
    kind = str(part["operator"])
    if kind == "source":
        return Node(place, "source", str(part["name"]), str(part.get("format", "")), lines, waits)
    role = "table" if kind in OUTSIDE else "operator"
    return Node(place, role, str(part.get("name", kind)), kind, lines, waits)


def _facts(part: Part) -> Iterator[tuple[str, str]]:
    """What is worth knowing of a part, by the names that the description has for it."""
    yield from (("due", " or ".join(each)) for each in part.get("due", []))
    yield from (("on", str(joined.get("on", ""))) for joined in part.get("with", []))
    for name in _SHOWN:
        if name in part:
            yield name, _text(part[name])


_SHOWN = (
    *("conditions", "key", "order", "limit", "totals", "functions", "having", "rule"),
    *("time", "watermark", "idle after", "late for", "clock", "size", "step", "gap", "closed"),
    *("complete", "left", "pattern", "within", "how", "query", "held until due", "columns"),
)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
