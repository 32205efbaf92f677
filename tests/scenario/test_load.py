"""Scenario files: what is understood, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from scenario import Scenario, ScenarioError, load_file

HEAD = "title: t\nquery: SELECT 1\n"


def load(tmp_path: Path, text: str) -> list[Scenario]:
    path = tmp_path / "x.scenario.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return load_file(path)


def test_everything_a_scenario_can_say(tmp_path: Path) -> None:
    (scenario,) = load(
        tmp_path,
        """
        title: all of it
        query: SELECT a FROM s
        tables: {names: [[1, one]]}
        warnings: [TVFW401]
        ordered: true
        splits: invariant
        steps:
          - s: [[1, 1.5], {a: 2}]
            rows: {late: [[3]]}
            now: 10
            expect: {out: [[1]]}
            snapshot: [[1]]
            late: {s: []}
            state_rows: 0
          - restart: true
        """,
    )
    first, second = scenario.steps
    assert scenario.ordered
    assert scenario.invariant
    assert scenario.tables == {"names": [[1, "one"]]}
    assert scenario.warnings == ("TVFW401",)
    assert scenario.late_sources == ("s",)
    # Fractions and dates stay text: what they mean is up to the type of the column.
    assert first.rows == {"s": [[1, "1.5"], {"a": 2}], "late": [[3]]}
    assert first.expect == {"out": [[1]]}
    assert first.snapshot == {None: [[1]]}
    assert (first.now, first.state_rows, first.late) == (10, 0, {"s": []})
    assert second.restart


def test_several_documents(tmp_path: Path) -> None:
    text = f"# a comment\n---\n{HEAD}error: TVF3\n---\n{HEAD}steps: []\n"
    first, second = load(tmp_path, text)
    assert first.error == "TVF3"
    assert second.steps == ()


def test_what_a_step_leaves_out_is_not_checked(tmp_path: Path) -> None:
    (scenario,) = load(tmp_path, f"{HEAD}steps: [{{s: []}}]\n")
    (step,) = scenario.steps
    assert step.expect is None
    assert step.snapshot is None
    assert step.late is None
    assert step.state_rows is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no scenario"),
        ("title: [", "not YAML"),
        ("- 1", "write a mapping"),
        ("title: t\nsteps: []", "`query` is missing"),
        (f"{HEAD}", "either `steps` or `error`"),
        (f"{HEAD}steps: []\nerror: TVF1", "either `steps` or `error`"),
        (f"{HEAD}step: []", "unknown key `step`; did you mean `steps`?"),
        (f"{HEAD}steps: []\nordered: 1", "`ordered` is true or false"),
        (f"{HEAD}steps: []\nsplits: all", "`splits` is `invariant`"),
        (f"{HEAD}error: 301", "301 is no code"),
        (f"{HEAD}steps: []\nwarnings: TVFW1", "`warnings` is a list"),
        (f"{HEAD}steps: [1]", "`steps` is a list of mappings"),
        (f"{HEAD}steps: [{{s: 1}}]", "step 1, s: write a list of rows"),
        (f"{HEAD}steps: [{{s: [1]}}]", "step 1, s: write a list of rows"),
        (f"{HEAD}steps: [{{s: [], rows: {{s: []}}}}]", "`s` stands both under `rows`"),
        (f"{HEAD}steps: [{{rows: []}}]", "`rows` is a mapping"),
        (f"{HEAD}steps: [{{}}, {{restart: true, s: []}}]", "step 2: `restart: true` stands alone"),
        (f"{HEAD}steps: [{{state_rows: many}}]", "`state_rows` is a number"),
        (f"{HEAD}steps: [{{late: []}}]", "step 1, late: write a mapping"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert "x.scenario.yaml" in str(caught.value)
