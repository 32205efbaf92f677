"""What shrinking leaves, and that what it writes is a scenario with the same rows."""

from __future__ import annotations

from pathlib import Path
from random import Random

from oracle.feeds import File, random_files
from oracle.shrink import scenario_text, shrink

from scenario import load_file
from scenario.model import Scenario

GUILTY = (3, "x", 1, True, 1_000_400, 2_500_000)
ALSO = (4, None, None, None, None, -500_000)


def fails(files: list[File]) -> bool:
    """Two rows of different streams, in this order of files, are at fault."""
    places = [place for place, file in enumerate(files) if GUILTY in file.rows["a"]]
    return any(ALSO in file.rows["b"] for place in places for file in files[place + 1 :])


def with_fault(rng: Random) -> list[File]:
    files = random_files(rng, 8, ticks=True)
    files[2].rows["a"].append(GUILTY)
    files[6].rows["b"].insert(0, ALSO)
    return files


def test_what_is_left_is_what_is_at_fault() -> None:
    for seed in range(20):
        found = shrink(with_fault(Random(seed)), fails, attempts=500)
        assert [file.rows for file in found] == [{"a": [GUILTY], "b": []}, {"a": [], "b": [ALSO]}]
        assert found[-1].waits


def test_no_more_attempts_than_allowed() -> None:
    asked = []

    def counted(files: list[File]) -> bool:
        asked.append(files)
        return fails(files)

    found = shrink(with_fault(Random(1)), counted, attempts=7)
    assert len(asked) == 7
    assert fails(found)


def written(tmp_path: Path, files: list[File], *, table: list[tuple[object, ...]]) -> Scenario:
    path = tmp_path / "found.scenario.yaml"
    path.write_text(
        scenario_text(
            "found",
            "SELECT 1;",
            files,
            times=frozenset({4, 5}),
            table=table,
            snapshot=[("2", "x")],
        ),
        encoding="utf-8",
    )
    (scenario,) = load_file(path)
    return scenario


def test_the_scenario_has_the_same_rows(tmp_path: Path) -> None:
    files = [File({"a": [GUILTY], "b": []}, now=1500, restarts=True), File({"a": [], "b": [ALSO]})]
    scenario = written(tmp_path, files, table=[GUILTY])
    first, restart, second, end = scenario.steps
    assert first.rows == {"a": [[3, "x", 1, True, "1.000400", "2.500000"]]}
    assert first.now == "1.500000"
    assert restart.restart
    assert second.rows == {"b": [[4, None, None, None, None, "-0.500000"]]}
    assert end.snapshot == {None: [["2", "x"]]}
    assert scenario.tables == {"c": [[3, "x", 1, True, "1.000400", "2.500000"]]}
