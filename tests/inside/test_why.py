"""`tvfc why` and `tvfc state` on jobs that read files, against what lines of Python work out."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from run.jobs import compile_job, sink_ids, tree

import tvfc_runtime
from commands import state, why
from scenario.job_module import load_job
from tvfc_runtime.reports.verdicts import moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click import Command
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

BEGIN_MS = 1_700_000_000_000
LONG_MS, SHORT_MS = 60_000, 30_000

QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, m INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, ts AS `seen``
at`, m FROM events
WHERE m >= 0 AND (
  (m < 100 AND ts + INTERVAL 1 MINUTE <= WATERMARK_TS())
  OR (m BETWEEN 50 AND 150 AND ts + INTERVAL 30 SECONDS < WATERMARK_TS()));
"""
SEEN = "seen`\nat"
TWO = """CREATE SINK late USING parquet OPTIONS (path 'late') AS SELECT id FROM LATE(events);
CREATE SINK closed USING parquet OPTIONS (path 'closed') AS
SELECT window_start, count(*) AS n FROM TUMBLE(events, ts, INTERVAL 10 SECONDS)
WHERE m <> 7 GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
"""


@dataclass(frozen=True)
class Event:
    """A row of a file; `seconds` after the beginning, None for no time; `m` None for a bad row."""

    id: int
    seconds: int | None
    m: int | None

    def line(self) -> str:
        ts = None
        if self.seconds is not None:
            at = datetime.fromtimestamp(BEGIN_MS / 1000 + self.seconds, UTC)
            ts = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        return json.dumps({"id": self.id, "ts": ts, "m": "many" if self.m is None else self.m})

    @property
    def ms(self) -> int:
        return BEGIN_MS + 1_000 * (self.seconds or 0)

    def due_ms(self) -> int | None:
        """When it is due by its two alternatives."""
        if self.seconds is None or self.m is None:
            return None
        dues = [self.ms + LONG_MS] if self.m < 100 else []
        dues += [self.ms + SHORT_MS + 1] if 50 <= self.m <= 150 else []
        return min(dues) if dues else None


def put(folder: Path, number: int, events: Sequence[Event]) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / f"{number:04}.json"
    path.write_text("\n".join(each.line() for each in events), encoding="utf-8")
    os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))


def run(folder: Path, spark: SparkSession, query: str) -> None:
    job = compile_job(folder, query)
    spec = load_job(job.read_text(encoding="utf-8"), job).JOB
    (outputs,) = tvfc_runtime.queries_of(spec)
    frame = tvfc_runtime.Job(spark, str(folder / "checkpoint"))
    started = tvfc_runtime.start(frame, spec, outputs, availableNow=True)
    started.awaitTermination()
    frame.memory.counters.update(started.lastProgress)


def ask(command: Command, *arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


@dataclass(frozen=True)
class Expected:
    """What is to be said of each event, worked out by hand.

    Attributes:
        fates: by id, the beginning of what is said of it for `out`, or of it at all.
        held: by id, when it is due.
        left: the ids that have come out.
        clock_ms: the clock in the end.
    """

    fates: dict[int, str]
    held: dict[int, int]
    left: list[int]
    clock_ms: int


def expected(files: Sequence[Sequence[Event]], unread: Sequence[Event]) -> Expected:
    clock = max(each.ms for file in files for each in file if each.seconds and each.m is not None)
    fates: dict[int, str] = {each.id: "not read yet" for each in unread}
    held: dict[int, int] = {}
    left = []
    watermark = 0
    for file in files:
        for each in file:
            due = each.due_ms()
            if each.m is None:
                fates[each.id] = "refused: m is no INT"
            elif each.seconds is not None and each.ms < watermark:
                fates[each.id] = f"late: its time lies before {moment(watermark)}"
            elif each.m < 0:
                fates[each.id] = "`out`: in no result: a condition"
            elif due is None:
                fates[each.id] = "`out`: never due: no alternative"
            elif due <= clock:
                left.append(each.id)
                fates[each.id] = f"`out`: has left, at {moment(due)}"
            else:
                held[each.id] = due
                fates[each.id] = f"`out`: held: due at {moment(due)}, "
        times = [e.ms for e in file if e.seconds is not None and e.m is not None]
        watermark = max([watermark, *times])
    return Expected(fates, held, sorted(left), clock)


FILES = (
    (Event(1, 0, 0), Event(2, 10, 60), Event(3, None, 0)),
    (Event(4, 5, 0), Event(5, 70, 0), Event(6, 20, -1), Event(7, 50, None)),
    (Event(8, 75, 70), Event(9, 80, 200), Event(10, 71, 120), Event(11, 60, 50)),
)
UNREAD = (Event(12, 90, 0),)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """A job that has read three files, and a fourth that has come since."""
    folder = tmp_path_factory.mktemp("told")
    for number, events in enumerate(FILES):
        put(folder / "in", number, events)
    run(folder, spark, QUERY)
    put(folder / "in", len(FILES), UNREAD)
    return folder


def check(folder: Path, spark: SparkSession, wanted: Expected) -> None:
    """Compare what is said of all rows, what is held, and what has come out."""
    place = str(folder / "checkpoint")
    (answer,) = json.loads(
        ask(why.command, place, "--row", "id > 0", "--limit", "99", "--format", "json")
    )
    assert answer["clock_ms"] == wanted.clock_ms
    assert sink_ids(spark, folder / "out") == wanted.left
    fates = {
        int(each["row"].split("id = ")[1].split(",")[0]): each["said"]
        for each in answer["rows"]
        if each["row"].startswith("`events`")
    }
    assert fates.keys() == wanted.fates.keys()
    for number, fate in wanted.fates.items():
        assert any(each.startswith(fate) for each in fates[number]), (number, fate, fates[number])
    rows = json.loads(ask(state.command, place, "--format", "json"))
    held = {each["id"]: each["_due"] for each in rows if each["_output"] == "out"}
    assert held == {number: moment(due) for number, due in wanted.held.items()}


def test_each_row_has_the_fate_that_python_works_out(told: Path, spark: SparkSession) -> None:
    wanted = expected(FILES, UNREAD)
    kinds = {each.removeprefix("`out`: ")[:8] for each in wanted.fates.values()}
    assert len(kinds) == 7, "each kind of fate is there"
    before = tree(told / "checkpoint")
    check(told, spark, wanted)
    assert tree(told / "checkpoint") == before


def test_by_which_alternative_a_row_is_due(told: Path) -> None:
    said = ask(why.command, str(told / "checkpoint"), "--row", "id = 8 OR id = 5")
    assert "(by alternative: after ts + 0:00:30, if m BETWEEN 50 AND 150)" in said
    assert "(by alternative: at ts + 0:01:00, if m < 100)" in said
    assert "(file:" in said
    assert ", read by batch 2)" in said
    assert r"held in delay/2 of out: id = 8, seen`\nat = 2023-11-14 22:14:35, m = 70" in said


def test_the_relation_in_each_form(told: Path) -> None:
    place = str(told / "checkpoint")
    rows = json.loads(ask(state.command, place, "--format", "json"))
    assert [each[SEEN] for each in rows if each["id"] == 8] == ["2023-11-14 22:14:35"]
    table = list(csv.DictReader(io.StringIO(ask(state.command, place, "--format", "csv"))))
    assert [row["_due"] for row in table] == [each["_due"] for each in rows]
    sql = f"SELECT count(*) AS n, max(\"{SEEN}\") AS last FROM state WHERE _due > '2023-11-14'"
    (found,) = json.loads(ask(state.command, place, "--sql", sql, "--format", "json"))
    assert found == {"n": len(rows), "last": "2023-11-14 22:14:35"}
    shown = ask(state.command, place, "--limit", "1")
    assert "delay/2 of out: 3 rows, the first 1" in shown
    assert shown.count("22:1") == 2


def test_earlier_batches(told: Path) -> None:
    """After the first batch all of its rows that are due some time were held."""
    place = str(told / "checkpoint")
    rows = json.loads(ask(state.command, place, "--as-of", "0", "--format", "json"))
    assert sorted(each["id"] for each in rows) == [1, 2]
    done = CliRunner().invoke(state.command, [place, "--as-of", "99"])
    assert done.exit_code == 1
    assert done.output.startswith("Error: the state of batch 99")


@pytest.mark.parametrize(
    ("command", "arguments", "error"),
    [
        (why.command, ["--row", "nothing = 1"], "names a column that no row has"),
        (why.command, ["--row", "id ="], "--row: [PARSE_SYNTAX_ERROR]"),
        (why.command, ["--row", "id"], "--row: [DATATYPE_MISMATCH"),
        (state.command, ["--sql", "SELECT x FROM state"], 'Referenced column "x" not found'),
        (state.command, ["--sql", "SELECT * FROM '/etc/hosts'"], "--sql: "),
        (state.command, ["--sql", "CREATE TABLE t (a INT)"], "--sql is to be a query"),
    ],
)
def test_what_cannot_be_asked(
    told: Path, command: Command, arguments: list[str], error: str
) -> None:
    before = tree(told)
    done = CliRunner().invoke(command, [str(told / "checkpoint"), *arguments])
    assert (done.exit_code, done.exception.__class__) == (1, SystemExit), done.output
    assert error in done.output
    assert tree(told) == before


def test_without_what_the_job_has_described(told: Path, tmp_path: Path) -> None:
    """As in a checkpoint of an earlier version: columns have no names, but are there."""
    place = tmp_path / "checkpoint"
    shutil.copytree(told / "checkpoint", place)
    (place / "tvfc/operators.json").unlink()
    rows = json.loads(ask(state.command, str(place), "--format", "json"))
    assert sorted(each["c0"] for each in rows) == [5, 8, 10]
    assert rows[0]["_operator"] == ""
    assert "an operator (delay): 3 rows, the next due at " in ask(why.command, str(place))


def test_damaged_state_is_an_error_that_says_so(told: Path, tmp_path: Path) -> None:
    place = tmp_path / "checkpoint"
    shutil.copytree(told / "checkpoint", place)
    for file in place.glob("state/*/*/*.changelog"):
        file.write_bytes(b"\x00" * 9)
    for file in place.glob("state/*/*/*.zip"):
        file.write_bytes(b"\x00" * 9)
    for command in (state.command, why.command):
        done = CliRunner().invoke(command, [str(place)])
        assert (done.exit_code, done.exception.__class__) == (1, SystemExit), done.output
        assert "Error: the state of batch " in done.output
    shutil.rmtree(place / "commits")
    done = CliRunner().invoke(state.command, [str(place)])
    assert "has no batch that is done" in done.output


def test_a_query_that_is_not_the_one_of_the_state(told: Path, tmp_path: Path) -> None:
    """What the query compiles to is compared with what the job has kept, before it is believed."""
    place = tmp_path / "checkpoint"
    shutil.copytree(told / "checkpoint", place)
    query = place / "tvfc/query.json"
    known = json.loads(query.read_text())
    query.write_text(json.dumps(known | {"query": known["query"].replace(" 30 ", " 31 ")}))
    said = ask(why.command, str(place), "--row", "id = 8")
    assert "not known, since this version of tvfc compiles its query to another job" in said
    assert "held in delay/2 of out: id = 8" in said


def test_a_job_that_runs_meanwhile(tmp_path: Path, spark: SparkSession) -> None:
    """Whatever it commits while it is looked at: each look sees one batch, and that whole."""
    (tmp_path / "in").mkdir()
    job = compile_job(tmp_path, QUERY)
    spec = load_job(job.read_text(encoding="utf-8"), job).JOB
    place = tmp_path / "checkpoint"
    frame = tvfc_runtime.Job(spark, str(place))
    query = tvfc_runtime.start(frame, spec, spec.outputs)
    try:
        for number in range(4):
            put(tmp_path / "in", number, [Event(number, number, 0)])
            rows = look(place)
            # A row a batch that reads a file: none is due before a minute has passed.
            assert rows == list(range(len(rows)))
            assert len(rows) <= number + 1
        query.processAllAvailable()
        assert look(place) == [0, 1, 2, 3]
    finally:
        query.stop()


def look(place: Path) -> list[int]:
    done = CliRunner().invoke(state.command, [str(place), "--format", "json"])
    if done.exit_code:
        assert "has no batch that is done" in done.output, (done.output, done.exception)
        return []
    return sorted(each["id"] for each in json.loads(done.output))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_random_rows_in_several_outputs(tmp_path: Path, spark: SparkSession, seed: int) -> None:
    chance = random.Random(seed)
    numbers = iter(range(1, 99))
    files = [
        [
            Event(
                next(numbers),
                None if chance.random() < 0.1 else chance.randrange(1, 40) + 30 * number,
                chance.choice([0, 7, 60, 120, 200, -1, None]),
            )
            for _ in range(5)
        ]
        for number in range(3)
    ]
    files[0].append(Event(next(numbers), 20, 0))
    for number, events in enumerate(files):
        put(tmp_path / "in", number, events)
    run(tmp_path, spark, QUERY + TWO)
    wanted = expected(files, [])
    check(tmp_path, spark, wanted)
    said = json.loads(
        ask(why.command, str(tmp_path / "checkpoint"), "--row", "id > 0", "--limit", "99",
            "--format", "json")
    )[0]["rows"]  # fmt: skip
    of_all = {
        int(row["row"].split("id = ")[1].split(",")[0]): row["said"]
        for row in said
        if row["row"].startswith("`events`")
    }
    for events in files:
        for each in events:
            check_windows(each, of_all[each.id], wanted)
            is_late = wanted.fates[each.id].startswith("late")
            assert any(s.startswith("`late`: has left") for s in of_all[each.id]) == is_late


ABOVE = """CREATE SOURCE events (id INT, ts TIMESTAMP, m INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK sessions USING parquet OPTIONS (path 'sessions') AS
SELECT window_start, id, count(*) AS n FROM SESSION(events, ts, id, INTERVAL 10 MINUTES)
GROUP BY window_start, window_end, id EMIT ON WINDOW CLOSE;
CREATE SINK pairs USING parquet OPTIONS (path 'pairs') AS
SELECT a.id, b.m FROM events a JOIN events b
ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR EMIT ON WINDOW CLOSE;
CREATE SINK live USING sqlite OPTIONS (path 'live.db', table 'live', key 'id') AS
SELECT id, count(*) AS n FROM events WHERE ts + INTERVAL 5 SECONDS >= WATERMARK_TS() GROUP BY id;
"""


@pytest.mark.thorough
def test_what_is_above_is_not_made_up(tmp_path: Path, spark: SparkSession) -> None:
    put(tmp_path / "in", 0, [Event(1, 10, 4), Event(2, 20, 5)])
    run(tmp_path, spark, ABOVE)
    place = str(tmp_path / "checkpoint")
    said = ask(why.command, place, "--row", "id > 0").splitlines()
    assert sum(each.startswith("    `sessions`: in a session, which leaves") for each in said) == 2
    assert said.count("    `pairs`: kept for its partners, or gone once no more can come") == 2
    ended, stays = (each for each in said if each.startswith("    `live`: "))
    assert ended.startswith(
        "    `live`: no longer counts for what is above: from its arrival until"
    )
    assert stays.startswith("    `live`: now counts for what is above: from its arrival until")
    rows = json.loads(ask(state.command, place, "--format", "json"))
    assert not any(name.startswith("__") for row in rows for name in row)
    sides = {(row["_operator"], row["_part"]) for row in rows if "join" in row["_operator"]}
    assert ("spark/join/0", "left") in sides
    assert "no due time of it is known" in "\n".join(said)


def check_windows(event: Event, said: Any, wanted: Expected) -> None:
    if event.m is None:
        return
    (closed,) = (each for each in said if each.startswith("`closed`"))
    if wanted.fates[event.id].startswith("late"):
        assert closed == "`closed`: in no result: it was late for the watermark of events"
        return
    if event.seconds is None or event.m == 7:
        assert closed.startswith("`closed`: in no result")
        return
    end = (event.ms // 10_000 + 1) * 10_000
    if end <= wanted.clock_ms:
        assert closed == f"`closed`: its group has closed, at {moment(end)}"
    else:
        assert closed.startswith(f"`closed`: its group is held: due at {moment(end)}, ")
