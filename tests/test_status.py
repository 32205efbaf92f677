"""`tvfc status` on checkpoints as the runtime writes them, without Spark."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from pyspark.sql import Row

from commands import status, top
from commands.checkpoint import status_of
from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.clock.group_marks import Groups, groups_folder
from tvfc_runtime.reports.query_status import QueryStatus
from tvfc_runtime.reports.verdicts import ago, moment, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGAN_MS = 1_700_000_000_000
MINUTE_MS = 60_000
CLICKS = {"operator": "source", "name": "clicks", "watermark": "ts"}
ORDERS = {"operator": "source", "name": "orders", "watermark": "ts - interval 1 minute"}
DELAYED = {"operator": "rows", "of": 1, "due": [["at ts + interval 5 minute"]]}
SINK = {"sink": "out", "format": "parquet"}
Metrics = dict[str, dict[str, Any]]


def source(
    rows: int, watermark_ms: int | None = None, late: int = 0, without_time: int = 0
) -> dict[str, Any]:
    return {"rows": rows, "late": late, "without_time": without_time, "watermark": watermark_ms}


def checkpoint(folder: Path, parts: Sequence[Any], *batches: Metrics) -> Path:
    """A checkpoint of a job that has stopped: batches a minute apart, each done and counted."""
    (folder / "tvfc").mkdir(parents=True)
    known = {"fingerprint": "f", "protocol": 2, "query": "SELECT", "state": [*parts, SINK]}
    (folder / "tvfc/query.json").write_text(json.dumps(known))
    memory = Memory(str(folder))
    for number, metrics in enumerate(batches):
        began = moment(BEGAN_MS + number * MINUTE_MS).replace(" ", "T")
        memory.counters.update(
            {
                "batchId": number,
                "timestamp": f"{began}.000Z",
                "durationMs": {"triggerExecution": 1_500},
                "eventTime": {"watermark": f"{began}.000Z"},
                "observedMetrics": {name: Row(**values) for name, values in metrics.items()},
                "stateOperators": [],
            }
        )
        memory.remember(memory.counters)
        for log in ("offsets", "commits"):
            write_log(folder, log, number)
    return folder


def write_log(folder: Path, log: str, number: int) -> None:
    (folder / log).mkdir(exist_ok=True)
    facts = {"batchTimestampMs": BEGAN_MS + number * MINUTE_MS}
    (folder / log / str(number)).write_text(f"v1\n{json.dumps(facts)}\n-")


def of(folder: Path) -> QueryStatus:
    (found,) = status_of(str(folder))
    assert isinstance(found, QueryStatus)
    return found


def why(folder: Path, minutes: float = 0) -> str:
    """The verdicts so many minutes after the first batch, but that the job does not run."""
    said = verdicts(of(folder), BEGAN_MS + round(minutes * MINUTE_MS))
    assert said.pop(0).startswith("No process runs it")
    return "\n".join(said)


def test_the_source_that_holds_the_clock_back(tmp_path: Path) -> None:
    folder = checkpoint(
        tmp_path,
        [CLICKS, ORDERS, DELAYED],
        {
            "tvfc/source/clicks/0": source(5, BEGAN_MS),
            "tvfc/source/orders/0": source(2, BEGAN_MS - 9_000),
            "tvfc/delay/0": {"taken": 7, "released": 0},
        },
        {"tvfc/source/clicks/0": source(4, BEGAN_MS + 8 * MINUTE_MS, late=1)},
    )
    found = of(folder)
    assert [(each.name, each.holds_clock) for each in found.sources] == [
        ("clicks", False),
        ("orders", True),
    ]
    assert [(each.rows, each.late, each.arrived_ms) for each in found.sources] == [
        (9, 1, BEGAN_MS + MINUTE_MS),
        (2, 0, BEGAN_MS),
    ]
    assert (found.began_ms, found.took_ms) == (BEGAN_MS + MINUTE_MS, 1_500)
    said = why(folder, minutes=11)
    assert said.startswith(
        "The clock waits for `orders`, whose last rows came 11 min ago: it stands at 2023-11-14 "
        "22:13:11, and another source is 8 min ahead; `WATERMARK FOR … IDLE AFTER"
    )
    # A row that has just come is no silence, and neither is a small step between two sources.
    assert "orders`, whose last rows came 30 s ago" in why(folder, minutes=0.5)
    assert "IDLE AFTER" not in why(folder, minutes=0.5)
    assert "7 rows are held (delay 7); what is waited for: rows at ts + interval 5 minute." in said
    shown = status.text(found, BEGAN_MS + 3 * MINUTE_MS).splitlines()
    assert shown[:5] == [
        "out: does not run, batch 1 began 2 min ago and took 1.5 s",
        "  clock   2023-11-14 22:14:20 UTC",
        "  source  rows  late  bad  last rows  watermark",
        "  clicks     9     1    0  2 min ago  2023-11-14 22:21:20",
        "  orders     2     0    0  3 min ago  2023-11-14 22:13:11  holds the clock back",
    ]


def test_the_group_that_holds_its_source_back(tmp_path: Path) -> None:
    folder = checkpoint(
        tmp_path,
        [ORDERS | {"per": "__partition"}, DELAYED],
        {
            "tvfc/source/orders/0": source(9, BEGAN_MS),
            "tvfc/delay/0": {"taken": 7, "released": 0},
        },
    )
    groups = Groups().after(
        [
            ("orders/0", BEGAN_MS + 5 * MINUTE_MS, BEGAN_MS + 4 * MINUTE_MS),
            ("orders/1", BEGAN_MS, BEGAN_MS),
        ]
    )
    place = Path(groups_folder(str(folder), "orders"))
    place.mkdir(parents=True)
    (place / "0").write_text(groups.to_json(None))
    assert (
        "`orders` waits for partition `orders/1`, one of 2, whose last rows came 9 min ago: it "
        "stands at 2023-11-14 22:13:20, and another is 5 min ahead; `WATERMARK FOR … IDLE AFTER "
    ) in why(folder, minutes=9)
    assert "IDLE AFTER" not in why(folder, minutes=0.5)
    shown = status.text(of(folder), BEGAN_MS).splitlines()
    assert shown[3].endswith("2023-11-14 22:13:20  that of orders/1, one of 2")
    # Left out once it is idle.
    (place / "1").write_text(groups.to_json(4 * MINUTE_MS))
    assert "waits for partition" not in why(folder, minutes=9)


def test_rows_by_sink_and_where_time_goes(tmp_path: Path) -> None:
    metrics = {
        "tvfc/source/clicks/0": source(9, BEGAN_MS),
        "tvfc/delay/2": {"taken": 7, "released": 5},
        "tvfc/out/late": {"rows": 2},
    }
    folder = checkpoint(tmp_path, [CLICKS, DELAYED, SINK | {"sink": "late"}], metrics)
    operators = [{"operator": "delay/2", "output": "out"}, {"operator": "over/3", "output": "x"}]
    file = folder / "tvfc/operators.json"
    file.write_text(json.dumps({"operators": operators, "folders": {}}))
    found = replace(of(folder), phases_ms={"walCommit": 60, "addBatch": 900, "getBatch": 3})
    assert (found.out, found.held_by) == ({"out": 5, "late": 2}, {"delay/2": 2})
    shown = status.text(replace(found, state_bytes=1_240_000), BEGAN_MS).splitlines()
    assert "  held    delay 2; 1.2 MB in files of state" in shown
    assert "  out     7 (out 5, late 2)" in shown
    assert "  time    addBatch 0.9 s, walCommit 0.1 s" in shown
    file.write_text("{")
    assert of(folder).out == {"delay/2": 5, "late": 2}


@pytest.mark.parametrize(
    ("number", "text"), [(999, "999 bytes"), (1_000, "1.0 kB"), (123_456, "123 kB"),
                         (9_900_000_000, "9.9 GB")],
)  # fmt: skip
def test_sizes(number: int, text: str) -> None:
    assert status.size(number) == text


def test_a_source_without_rows_leaves_the_clock_without_a_value(tmp_path: Path) -> None:
    idle = ORDERS | {"idle after": "5 minutes"}
    folder = checkpoint(
        tmp_path, [CLICKS, idle, DELAYED], {"tvfc/source/clicks/0": source(5, BEGAN_MS)}
    )
    assert why(folder).splitlines()[0] == (
        "The clock has no value before `orders` has had a row; IDLE AFTER moves it once it has "
        "been silent for 5 minutes."
    )


def test_rows_without_a_time_move_no_clock(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(5, without_time=5)}
    assert why(checkpoint(tmp_path, [CLICKS, DELAYED], metrics)).startswith(
        "The clock has no value before `clicks` has a row with a time: all of its rows have none."
    )


def test_a_clock_that_stands_as_all_are_silent(tmp_path: Path) -> None:
    metrics = {
        "tvfc/source/clicks/0": source(5, BEGAN_MS),
        "tvfc/delay/0": {"taken": 5, "released": 2},
    }
    folder = checkpoint(tmp_path, [CLICKS, DELAYED], metrics)
    assert "The clock stands" not in why(folder)
    assert why(folder, minutes=30).startswith(
        "The clock stands: the last rows, of `clicks`, came 30 min ago, and only rows move it; "
        "a run with `--flush-at-end` ends with all rows that are held."
    )


def test_rows_that_are_lost(tmp_path: Path) -> None:
    bad = {"rows": 1, "example": Row(record="\x1b[31m{", reason="no JSON", file="f")}
    folder = checkpoint(
        tmp_path,
        [CLICKS],
        {
            "tvfc/source/clicks/0": source(4, BEGAN_MS, late=3, without_time=1),
            "tvfc/bad/clicks/0": bad,
            "tvfc/delay/0/failed": {"rows": 2},
            "tvfc/out/out": {"rows": 1},
        },
    )
    said = why(folder)
    assert "1 row of `clicks` did not fit its columns, such as \x1b[31m{ (no JSON); BAD(cl" in said
    assert "3 rows of 4 of `clicks` came late" in said
    assert "1 row of `clicks` had no time" in said
    assert "2 rows are never due" in said
    assert "conditions" not in said
    shown = CliRunner().invoke(status.command, [str(folder)]).output
    assert "\x1b" not in shown
    assert r"such as \x1b[31m{ (no JSON)" in shown


def test_rows_that_meet_no_condition(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, [CLICKS], {"tvfc/source/clicks/0": source(4, BEGAN_MS)})
    assert "no row has met the conditions of the query" in why(folder)


def test_a_query_from_which_all_comes_has_nothing_to_say(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(4, BEGAN_MS), "tvfc/out/out": {"rows": 4}}
    assert why(checkpoint(tmp_path, [CLICKS], metrics)) == ""


def test_a_batch_that_has_not_ended(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, [CLICKS], {"tvfc/out/out": {"rows": 4}})
    write_log(folder, "offsets", 1)
    assert (of(folder).batch, of(folder).unfinished) == (0, 1)
    assert "Batch 1 was begun 5 min ago and not ended: the next start runs it." in why(folder, 6)
    (folder / "offsets/1").write_text("v1")
    assert "Batch 1 was begun and not ended" in why(folder, 6)


def test_before_the_first_batch(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, [CLICKS])
    assert why(folder).startswith("No batch has ended yet")
    assert (
        "does not run, no batch is done" in CliRunner().invoke(status.command, [str(folder)]).output
    )


def test_counts_of_an_earlier_version_and_a_torn_file(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(4, BEGAN_MS), "tvfc/out/out": {"rows": 4}}
    folder = checkpoint(tmp_path, [CLICKS], metrics)
    file = folder / "tvfc/batches/0"
    known = json.loads(file.read_text())
    for name in ("rows", "arrived_ms", "began_ms", "took_ms"):
        del known[name]
    file.write_text(json.dumps(known))
    (folder / "tvfc/batches/1").write_text('{"rows_')
    (only,) = of(folder).sources
    assert (only.rows, only.arrived_ms, only.watermark_ms) == (None, None, BEGAN_MS)
    shown = CliRunner().invoke(status.command, [str(folder)]).output
    assert "does not run, batch 0 is done" in shown
    assert "  clicks     ?     0    0  ?          2023-11-14 22:13:20" in shown


def test_a_job_of_several_queries_as_json(tmp_path: Path) -> None:
    for name in ("b", "a"):
        checkpoint(tmp_path / name, [CLICKS], {"tvfc/source/clicks/0": source(1, BEGAN_MS)})
    (tmp_path / "other").mkdir()
    done = CliRunner().invoke(status.command, ["--format", "json", f"{tmp_path}/"])
    found = json.loads(done.output)
    assert [each["place"] for each in found] == [f"{tmp_path}/a", f"{tmp_path}/b"]
    assert found[0]["sources"][0]["rows"] == 1
    assert found[0]["why"][0].startswith("No process runs it")


@pytest.mark.parametrize("name", [".", "not there"])
def test_what_is_no_checkpoint(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(status.command, [str(tmp_path / name)])
    assert done.exit_code == 1
    assert done.output.startswith("Error: ")
    assert str(tmp_path) in done.output


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(-5, "0.0 s"), (1_240, "1.2 s"), (59_000, "59 s"), (119_000, "119 s"), (120_000, "2 min"),
     (7_300_000, "2 h"), (200_000_000, "2 d")],
)  # fmt: skip
def test_lengths_of_time(milliseconds: int, text: str) -> None:
    assert ago(milliseconds) == text


def test_top_looks_until_it_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkpoint(tmp_path, [CLICKS], {"tvfc/out/out": {"rows": 4}})
    done = CliRunner().invoke(top.command, [str(folder)])
    assert (done.exit_code, done.output.split(";")[0]) == (1, "Error: tvfc top needs a terminal")
    looks: list[float] = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("commands.top.time.sleep", sleep)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    done = CliRunner().invoke(top.command, [str(folder), "--every", "0.5"])
    assert (done.exit_code, looks) == (0, [0.5, 0.5, 0.5])
    # Once as it begins, and then at each look.
    assert done.output.count("out: does not run, batch 0 began") == 1 + len(looks)


def test_moments() -> None:
    assert moment(BEGAN_MS + 7) == "2023-11-14 22:13:20.007"
    assert moment(10**18) == f"{10**18} ms"


def test_sources_that_are_a_step_apart_are_in_order(tmp_path: Path) -> None:
    metrics = {
        "tvfc/source/clicks/0": source(5, BEGAN_MS),
        "tvfc/source/orders/0": source(2, BEGAN_MS - 9_000),
        "tvfc/out/out": {"rows": 7},
    }
    folder = checkpoint(tmp_path, [CLICKS, ORDERS, DELAYED], metrics)
    assert why(folder, minutes=0.5) == ""
    assert "The clock waits for `orders`" in why(folder, minutes=5)


def test_a_query_that_waits_for_no_clock_has_none_to_blame(tmp_path: Path) -> None:
    metrics = {
        "tvfc/source/clicks/0": source(5, BEGAN_MS),
        "tvfc/changing/0/held": {"rows": 5},
        "tvfc/out/out": {"rows": 5},
    }
    folder = checkpoint(tmp_path, [CLICKS, ORDERS, {"operator": "totals"}], metrics)
    assert why(folder, minutes=30) == "`orders` has had no rows yet."
    joined = {"operator": "join", "with": [{"left until": ["after ts"]}]}
    folder = checkpoint(tmp_path / "joined", [CLICKS, ORDERS, joined], metrics)
    assert "The clock has no value before `orders` has had a row" in why(folder, minutes=30)


def test_counts_that_lag_behind_the_batches_say_so(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(4, BEGAN_MS), "tvfc/out/out": {"rows": 4}}
    folder = checkpoint(tmp_path, [CLICKS], metrics)
    for log in ("offsets", "commits"):
        write_log(folder, log, 9)
    shown = status.text(of(folder), BEGAN_MS + 5 * MINUTE_MS)
    assert shown.startswith(
        "out: does not run, batch 9 is done; counts are as of an earlier one: batch 0 began 5 min "
        "ago and took 1.5 s\n"
    )
    shutil.rmtree(folder / "commits")
    assert "batch 0 was counted, commits has none" in why(folder)


def test_without_counts_nothing_is_made_up(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(4, BEGAN_MS)}
    folder = checkpoint(tmp_path, [CLICKS, DELAYED], metrics)
    shutil.rmtree(folder / "tvfc/batches")
    assert why(folder) == (
        "What the batches have done is not known: tvfc/batches of the checkpoint is gone."
    )


def test_counts_of_a_later_version_and_files_of_others(tmp_path: Path) -> None:
    metrics = {"tvfc/source/clicks/0": source(4, BEGAN_MS), "tvfc/out/out": {"rows": 4}}
    folder = checkpoint(tmp_path, [CLICKS], metrics)
    file = folder / "tvfc/batches/0"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"counted_later": 1}))
    for name, text in (("1", "[1, 2]"), ("2", "null"), ("\u00b2", "")):
        (folder / "tvfc/batches" / name).write_text(text)
    (folder / "tvfc/batches/3").mkdir()
    assert of(folder).rows_in == 4


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"state": "x"}', '{"state": [{"operator": "source"}]}']
)
def test_a_query_that_is_damaged_hides_no_other(tmp_path: Path, text: str) -> None:
    for name in ("broken", "whole"):
        checkpoint(tmp_path / name, [CLICKS], {"tvfc/source/clicks/0": source(1, BEGAN_MS)})
    (tmp_path / "broken/tvfc/query.json").write_text(text)
    done = CliRunner().invoke(status.command, [str(tmp_path)])
    assert done.exit_code == 1
    assert f"out ({tmp_path}/whole): does not run" in done.output
    assert f"Error: {tmp_path}/broken: tvfc/query.json is not as a job writes it" in done.output


@pytest.mark.parametrize("place", ["xyz://there", "ab:x", "", "http://localhost/x"])
def test_stores_that_are_not_known(place: str) -> None:
    done = CliRunner().invoke(status.command, [place])
    assert (done.exit_code, done.exception.__class__) == (1, SystemExit)
    assert place in done.output
