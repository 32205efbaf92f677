"""The stateful operators and the sources of a query as Spark numbers them.

Spark numbers both in the order in which it meets them in the plan, and its own description of a
streaming frame says so without that a batch runs. Marks in it (stand_ins.py) tell which function of
the job has made an operator.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commands.upgrading.queries import UpgradeError
from commands.upgrading.stand_ins import MARK, StandIns, frame_of, marked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from commands.upgrading.queries import Query
    from tvfc_runtime.counters.holdings import Holding

OWN = "TransformWithStateInPySpark"
"""What Spark calls an operator of the runtime."""

STATEFUL = {
    OWN: "",
    "StateStoreSave": "groups",
    "SessionWindowStateStoreSave": "sessions",
    "StreamingSymmetricHashJoin": "join",
    "StreamingDeduplicate": "distinct",
    "StreamingDeduplicateWithinWatermark": "distinct",
}
"""Spark's stateful operators in a physical plan, and what the counters call them."""


@dataclass(frozen=True)
class Operator:
    """A stateful operator.

    Attributes:
        number: Spark's.
        place: what the counters call it: `delay/4`, `spark/groups/0`.
        kind: what it does, in the words of `holdings.py`; of Spark's own that of the counters.
        function: the function of the job that has made it.
        below: the function that has made the rows that it is given.
        nth: its place among those of the same call and kind, in the order of the plan.
        holding: what it holds; None: it is one of Spark's.
    """

    number: int
    place: str
    kind: str
    function: str
    below: str
    nth: int
    holding: Holding | None

    @property
    def output(self) -> str:
        """The output that it is of; empty if that is not known."""
        return "" if self.holding is None else self.holding.output


@dataclass(frozen=True)
class Leaf:
    """A place of the plan where a source is read.

    Attributes:
        name: of the source.
        log: the number of the source in `sources/`; places that read one source have one.
        nth: its place among the sources of that name.
    """

    name: str
    log: int
    nth: int


@dataclass(frozen=True)
class Anatomy:
    """What Spark finds in a query: operators by their numbers, sources as in the offset log."""

    operators: tuple[Operator, ...]
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True)
class Line:
    """A node of a plan: how deep it stands, what it is, and its text."""

    depth: int
    name: str
    text: str


_NODE = re.compile(r"^((?:[:| ]  )*(?:[:+]- )?)[~!* ]*(?:\(\d+\) )?(\w+)(.*)$")
_NUMBER = re.compile(r"\bopId = (\d+)\b")
_OBSERVED = re.compile(r"^ (\S+), \[")


def anatomy(spark: SparkSession, query: Query, folder: Path) -> Anatomy:
    """Look at the plan of a query; nothing runs.

    Args:
        spark: a session.
        query: the query.
        folder: a new folder, for sources that stand in.

    Raises:
        UpgradeError: the plan is not understood.
    """
    stand_ins = StandIns(spark, folder)
    job = stand_ins.job(query, str(folder / "checkpoint"))
    text = _explained(frame_of(marked(query), job))
    analyzed, physical = (_nodes(_section(text, each)) for each in ("Analyzed Logical", "Physical"))
    holdings = {each.operator: each for each in job.held}
    operators = tuple(_operators(physical, holdings))
    if [each.number for each in operators] != list(range(len(operators))):
        raise UpgradeError("TVF755: the plan of the query is not understood; please report this")
    return Anatomy(operators, tuple(_leaves(analyzed, stand_ins)))


def _explained(frame: DataFrame) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        frame.explain(extended=True)
    return printed.getvalue()


def _section(text: str, title: str) -> str:
    return text.partition(f"== {title} Plan ==\n")[2].partition("\n== ")[0]


def _nodes(text: str) -> list[Line]:
    found = (_NODE.match(line) for line in text.splitlines())
    return [Line(len(each[1]) // 3, each[2], each[3]) for each in found if each]


def _operators(nodes: Sequence[Line], holdings: dict[str, Holding]) -> Iterator[Operator]:
    above: list[tuple[int, str, str]] = []
    seen: set[int] = set()
    kinds: Counter[str] = Counter()
    nths: Counter[tuple[str, str]] = Counter()
    for place, node in enumerate(nodes):
        above = [each for each in above if each[0] < node.depth]
        observed = _OBSERVED.match(node.text) if node.name == "CollectMetrics" else None
        if observed:
            kind = "call" if observed[1].startswith(f"{MARK}/") else "metric"
            above.append((node.depth, kind, observed[1]))
        number = _NUMBER.search(node.text) if node.name in STATEFUL else None
        if number is None or int(number[1]) in seen:
            continue
        seen.add(int(number[1]))
        call = next((name for _, kind, name in reversed(above) if kind == "call"), "")
        if node.name == OWN:
            metric = next((name for _, kind, name in reversed(above) if kind == "metric"), "")
            named = "/".join(metric.split("/")[1:3])
            holding = holdings.get(named)
            kind = holding.kind if holding else ""
        else:
            holding, kind = None, STATEFUL[node.name]
            named = f"spark/{kind}/{kinds[kind]}"
            kinds[kind] += 1
        yield Operator(
            number=int(number[1]),
            place=named,
            kind=kind,
            function=_function(call),
            below=_function(_first_call(nodes[place:])),
            nth=nths[call, kind],
            holding=holding,
        )
        nths[call, kind] += 1


def _first_call(nodes: Sequence[Line]) -> str:
    """The first mark below the first node."""
    top, *rest = nodes
    for node in rest:
        if node.depth <= top.depth:
            return ""
        observed = _OBSERVED.match(node.text) if node.name == "CollectMetrics" else None
        if observed and observed[1].startswith(f"{MARK}/"):
            return observed[1]
    return ""


def _function(mark: str) -> str:
    return mark.split("/")[1] if mark else ""


def _leaves(nodes: Sequence[Line], stand_ins: StandIns) -> Iterator[Leaf]:
    logs: dict[str, tuple[int, int]] = {}
    nths: Counter[str] = Counter()
    for node in nodes:
        if node.name != "StreamingRelation":
            continue
        name = stand_ins.name_of(node.text)
        if node.text not in logs:
            logs[node.text] = len(logs), nths[name]
            nths[name] += 1
        log, nth = logs[node.text]
        yield Leaf(name, log, nth)
