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
        ("", ": the file holds no scenario"),
        ("title: [", "not YAML"),
        ("title: t\ntitle: u", "the key `title` stands twice"),
        ("- 1", ":1: write a mapping"),
        ("title: t\nsteps: []", ":1: `query` is missing"),
        ("title: 5\nquery: SELECT 1\nsteps: []", ":1: title: write a text, not 5"),
        (f"{HEAD}", ":1: write either `steps` or `error`"),
        (f"{HEAD}steps: []\n---\n{HEAD}", ":5: write either `steps` or `error`"),
        (f"{HEAD}steps: []\nerror: TVF1", "either `steps` or `error`"),
        (f"{HEAD}step: []", ":3: unknown key `step`; did you mean `steps`?"),
        (f"{HEAD}steps: []\nordered: 1", ":4: ordered: write true or false, not 1"),
        (f"{HEAD}steps: []\nsplits: all", ":4: splits: write `invariant`"),
        (f"{HEAD}error: 301", ":3: error: write a code"),
        (f"{HEAD}steps: []\nparams: {{a: [1]}}", ":4: params, a: write a literal of SQL"),
        (f"{HEAD}steps: []\nwarnings: TVFW1", ":4: warnings: write a list of codes"),
        (f"{HEAD}steps: [1]", ":3: step 1: write a mapping"),
        (f"{HEAD}steps: [{{s: 1}}]", ":3: step 1, s: write a list of rows"),
        (f"{HEAD}steps:\n- s:\n  - [1]\n  - 2", ":6: step 1, s, row 2: write a list of rows"),
        (f"{HEAD}steps: [{{s: [], rows: {{s: []}}}}]", "step 1: `s` stands both under `rows`"),
        (f"{HEAD}steps: [{{rows: []}}]", "step 1, rows: write a mapping"),
        (f"{HEAD}steps: [{{}}, {{restart: true, s: []}}]", "step 2: `restart: true` stands alone"),
        (f"{HEAD}steps: [{{state_rows: many}}]", "state_rows: write a number of rows, not 'many'"),
        (
            f"{HEAD}steps: [{{state_row: 2}}]",
            "row: write a list of rows, each a list or a mapping: "
            "[[1, a]], not 2; did you mean `state_rows`?",
        ),
        (f"{HEAD}steps: [[1]", "x.scenario.yaml:4: this is not YAML: "),
        (f"{HEAD}steps: [{{late: []}}]", "step 1, late: write a mapping"),
        (f"{HEAD}steps: [{{expect: a}}]", "step 1, expect: write a list of rows, or a mapping"),
        (f"{HEAD}steps: [{{1: []}}]", ":3: the key `1` is no text"),
        (f"{HEAD}steps: [{{rows: {{1: []}}}}]", ":3: the key `1` is no text"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert "x.scenario.yaml" in str(caught.value)


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path, f"{HEAD}ordered: 1\nsteps:\n- s: 1\n- now: 5\n  bad: 1\n")
    places = [line.split("x.scenario.yaml:")[1] for line in str(caught.value).splitlines()]
    assert [place.partition(": write")[0] for place in places] == [
        "5: step 1, s",
        "7: step 2, bad",
        "3: ordered",
    ]
