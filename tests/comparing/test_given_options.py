"""Sinks whose options are given at the start, or are variables: what a checkpoint tells of them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from commands import diff, switch
from tvfc_runtime.sinks.sqlite import BATCHES
from tvfc_runtime.sources.at_start import AtStart
from tvfc_runtime.spec.job import Output

if TYPE_CHECKING:
    from click import Command
    from click.testing import Result

CLOCK_MS = 1_767_225_600_000
PARTS: list[dict[str, Any]] = [
    {"version": 1},
    {
        "sink": "live",
        "format": "sqlite",
        "options": {"path": "live.db", "table": "live"},
        "key": ["shop"],
        "changes": "yes",
    },
]


def output(**options: str) -> Output:
    return Output(name="live", build=lambda job: job.read(None), format="sqlite", options=options)  # type: ignore[arg-type]


def checkpoint(folder: Path, name: str, at_start: AtStart, batch: int, *, told: bool) -> Path:
    """A checkpoint as a job has left it that was started so; `told`: by this version."""
    place = folder / name
    facts = {"batchWatermarkMs": CLOCK_MS, "batchTimestampMs": CLOCK_MS}
    files: dict[str, Any] = {
        "metadata": {"id": name},
        f"commits/{batch}": {},
        "tvfc/query.json": {
            "fingerprint": "",
            "protocol": 2,
            "query": "",
            "state": at_start.state(PARTS),
        },
    }
    if told:
        places = {"live": at_start.place_of(output(path=str(folder / "live.db"), table="live"))}
        files["tvfc/operators.json"] = {"operators": [], "folders": {}, "sinks": places}
    for file, content in files.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(json.dumps(content))
    (place / "offsets").mkdir()
    (place / f"offsets/{batch}").write_text(f"v1\n{json.dumps(facts)}\n-")
    return place


def called(command: Command, *words: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, words)], catch_exceptions=False)


def state_of(place: Path) -> list[dict[str, Any]]:
    return list(json.loads((place / "tvfc/query.json").read_text())["state"])


@pytest.mark.parametrize("told", [True, False])
def test_a_job_that_was_given_another_table(tmp_path: Path, *, told: bool) -> None:
    at_starts = AtStart(), AtStart(options={"live": {"table": "green"}})
    blue, green = (
        checkpoint(tmp_path, name, each, batch, told=told)
        for name, each, batch in zip(("blue", "green"), at_starts, (4, 9), strict=True)
    )
    states = state_of(blue), state_of(green)
    assert states[0] == PARTS
    assert "green" not in json.dumps(states[1])
    with closing(sqlite3.connect(tmp_path / "live.db")) as database, database:
        database.execute(
            f"CREATE TABLE {BATCHES} (sink_table TEXT PRIMARY KEY, query TEXT, batch INT)"
        )
        for table, query, batch in (("live", "blue", 4), ("green", "green", 9)):
            database.execute(f"CREATE TABLE {table} (shop TEXT, total NUMERIC)")
            database.execute(f"INSERT INTO {table} VALUES ('a', 2), ('b', 2.5)")
            database.execute(f"INSERT INTO {BATCHES} VALUES (?, ?, ?)", (table, query, batch))
    words: list[str] = []
    if not told:
        # Earlier versions have not written down where it lies.
        done = called(diff.command, blue, green)
        assert done.exit_code == 1
        assert "start its job once more" in done.output
        path = f"live.path={tmp_path}/live.db"
        words = ["--option", path, "--option2", path, "--option2", "live.table=green"]
    done = called(diff.command, blue, green, *words)
    assert (done.exit_code, done.output[:10]) == (0, "live: same"), done.output
    assert called(switch.command, blue, green, *words).exit_code == 0
    # So each job is started as the other one was.
    assert (state_of(blue), state_of(green)) == states[::-1]
    if told:
        assert called(switch.command, blue, green).exit_code == 0
        assert (state_of(blue), state_of(green)) == states
    assert called(diff.command, blue, green, "--option", "lives.path=x").exit_code == 1
    assert "has no sink of" in called(diff.command, blue, green, "--sink", "of").output


def test_where_a_sink_lies_is_written_down_and_no_secret(tmp_path: Path) -> None:
    declared = {
        "path": f"{tmp_path}/x/../live.db",
        "url": "postgresql://u:geheim@h/d",
        "password": "${LIVE_PASSWORD}",
        "user": "${USER}-x",
    }
    environment = {"LIVE_PASSWORD": "geheim", "USER": "me"}
    at_start = AtStart(environment=environment)
    assert at_start.place_of(output(**declared)) == {
        "path": f"{tmp_path}/live.db",
        "password": "${LIVE_PASSWORD}",
    }
    given = {"live": {"password": "geheim", "table": "other", "PATH": "${DIR}/a"}}
    at_start = AtStart(options=given, environment=environment)
    assert at_start.place_of(output(**declared, table="live")) == {
        "path": "${DIR}/a",
        "table": "other",
    }
