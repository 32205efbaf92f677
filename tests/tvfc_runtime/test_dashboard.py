"""The dashboard in docs/ asks for metrics that jobs have, by labels that they have."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.metrics import exposition

ROOT = Path(__file__).parents[2]
NAME = r"tvfc_\w+"
COUNTERS = Counters(
    rows_out=3,
    watermark_ms=1_700_000_000_250,
    held=Counter({"delay/0": 2}),
    rows=Counter({"a": 9}),
    arrived_ms={"a": 1_700_000_001_000},
    late=Counter({"a": 1}),
    without_time=Counter({"a": 1}),
    bad=Counter({"a": 1}),
    watermarks_ms={"a": 1_700_000_000_250},
    batch=4,
    began_ms=1_700_000_002_000,
    took_ms=1_500,
    wakes=[[1_700_000_009_000, 1_700_000_009_500]],
    sleeps=True,
)
"""All that is counted, so that each metric has a value."""


def labels() -> dict[str, set[str]]:
    """The labels of each metric."""
    samples = re.findall(rf"^({NAME}){{(.*)}} ", exposition({"q": COUNTERS}), re.MULTILINE)
    return {name: set(re.findall(r'(\w+)="', text)) for name, text in samples}


def test_it_shows_each_metric_and_no_other() -> None:
    text = (ROOT / "docs/grafana.json").read_text(encoding="utf-8")
    assert set(re.findall(NAME, text)) == labels().keys()
    # So does the text on it.
    written = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert (
        set(re.findall(r"\btvfc_(?:rows|clock|wake|source|batch)\w*", written)) == labels().keys()
    )


def test_its_legends_have_labels_of_their_metrics() -> None:
    board = json.loads((ROOT / "docs/grafana.json").read_text(encoding="utf-8"))
    known = labels()
    targets = [target for panel in board["panels"] for target in panel["targets"]]
    for target in targets:
        names = re.findall(NAME, target["expr"])
        wanted = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
        assert all(wanted <= known[name] for name in names), target["expr"]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 0


def test_it_has_the_alerts_of_the_text() -> None:
    written = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    alerts = re.search(r"Alerts that are worth having.*?```\n(.*?)```", written, re.DOTALL)
    assert alerts is not None
    board = (ROOT / "docs/grafana.json").read_text(encoding="utf-8")
    board = board.replace('{query=~\\"$query\\"}', "")
    for line in alerts[1].splitlines():
        expression = (
            re.split(" and | unless ", line.partition("#")[0])[0].rpartition(" > ")[0].strip()
        )
        assert expression in board, expression
