"""`tvfc diff` and `tvfc switch` over jobs that have run: blue, and green beside it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from run.jobs import tree
from upgrading.cases import AFTER, BEFORE, events
from upgrading.upgraded import Site

from commands import diff, switch
from commands.comparing import exchange
from tvfc_runtime.checkpoint.storage import lock, unlock, write_text
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.sinks import SinkError

if TYPE_CHECKING:
    from click import Command
    from click.testing import Result
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

BLUE = """CREATE SOURCE events (id STRING, ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE VIEW live AS SELECT * FROM events
WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 9 SECONDS;
CREATE SINK totals USING sqlite OPTIONS (path 'x.db', table 'totals', key 'odd') AS
SELECT price % 2 AS odd, count(*) AS n, max(id) AS last FROM live GROUP BY price % 2;
CREATE SINK changes USING json OPTIONS (path 'blue_changes') AS SELECT id, price FROM live;
CREATE SINK delayed USING parquet OPTIONS (path 'blue') AS
SELECT id, price FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
CREATE SINK at_once USING json OPTIONS (path 'blue_at_once') AS SELECT id FROM events;
"""
GREEN = (
    BLUE.replace("'blue", "'green")
    .replace("table 'totals'", "table 'green'")
    .replace("maxFilesPerTrigger '1'", "maxFilesPerTrigger '2'")
)
SWITCHED = GREEN.replace("table 'green'", "table 'totals'")
WRONG = GREEN.replace("price % 2 AS odd, count(*)", "price % 2 AS odd, count(*) + 1")


def called(command: Command, site: Site, *words: str) -> Result:
    folders = str(site.folder / "cp"), str(site.folder / "cp2")
    return CliRunner().invoke(command, [*folders, *words], catch_exceptions=False)


def verdicts(site: Site, *words: str) -> dict[str, Any]:
    done = called(diff.command, site, "--format", "json", *words)
    found = {each["sink"]: each for each in json.loads(done.output)}
    assert done.exit_code == any(each["verdict"] != "same" for each in found.values())
    return found


def table(site: Site, name: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(site.folder / "x.db")) as database:
        return sorted(database.execute(f"SELECT * FROM {name}").fetchall())


def refused(site: Site, query: str, checkpoint: str) -> None:
    """A job does not start."""
    with pytest.raises((SinkError, CheckpointError)):
        site.run(query, checkpoint)
    unlock(f"{site.folder / checkpoint}/tvfc/lock")


def test_blue_and_green(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(BLUE, "cp")
    site.run(GREEN, "cp2")
    before = tree(tmp_path)
    found = verdicts(site)
    assert {each["verdict"] for each in found.values()} == {"same"}, found
    assert all(each["both"] for each in found.values())
    assert not any(each["notes"] for each in found.values())
    assert tree(tmp_path) == before

    _what_was_read_ahead(site)
    _what_is_asked_for(site)
    _what_is_wrong(site)
    _what_is_refused(site)
    _what_is_switched(site)


def _what_was_read_ahead(site: Site) -> None:
    """Blue has gone on: files are compared where green is, a table is ahead."""
    site.arrive([events(("f", 14, 6)), events(("g", 31, 7))])
    site.run(BLUE, "cp")
    found = verdicts(site)
    same = {name for name, each in found.items() if each["verdict"] == "same"}
    assert same == {"changes", "delayed", "at_once"}, found
    assert "may be what has come between" in " ".join(found["totals"]["notes"])
    assert called(switch.command, site).exit_code == 1
    site.run(GREEN, "cp2")
    assert {each["verdict"] for each in verdicts(site).values()} == {"same"}


def _what_is_asked_for(site: Site) -> None:
    """As of a clock value, of changes whatever batches there were; as of a batch of blue."""
    found = verdicts(site, "--as-of", "2026-01-01 00:00:10", "--sink", "changes")
    assert found["changes"]["verdict"] == "same"
    assert found["changes"]["both"]
    found = verdicts(site, "--as-of", "2026-01-01 00:00:12")
    assert found["delayed"]["verdict"] == "same"
    assert "a table keeps its last rows alone" in " ".join(found["totals"]["notes"])
    found = verdicts(site, "--as-of", "2026-01-01 00:00:11", "--sink", "delayed")
    assert "no batch with the clock at" in " ".join(found["delayed"]["notes"])
    found = verdicts(site, "--as-of", "2027-01-01", "--sink", "delayed")
    assert "not there yet" in " ".join(found["delayed"]["notes"])
    found = verdicts(site, "--as-of", "999", "--sink", "delayed")
    assert "not done or not kept" in " ".join(found["delayed"]["notes"])
    assert called(diff.command, site, "--as-of", "yesterday").exit_code == 2


def _what_is_wrong(site: Site) -> None:
    """Rows that are in one alone are counted and shown."""
    with closing(sqlite3.connect(site.folder / "x.db")) as database, database:
        database.execute("UPDATE green SET n = n + 1 WHERE odd = 1")
    found = verdicts(site)["totals"]
    assert (found["verdict"], found["only"]) == ("different", [1, 1])
    assert found["examples"][0][0]["n"] + 1 == found["examples"][1][0]["n"]
    text = called(diff.command, site, "--sink", "totals").output
    assert "totals: different:" in text
    assert "cp2 alone, such as" in text
    refused = called(switch.command, site)
    assert refused.exit_code == 1
    assert "TVF758" in refused.output
    with closing(sqlite3.connect(site.folder / "x.db")) as database, database:
        database.execute("UPDATE green SET n = n - 1 WHERE odd = 1")


def _what_is_refused(site: Site) -> None:
    lock(f"{site.folder}/cp2/tvfc/lock")
    assert "a job runs on" in called(switch.command, site).output
    unlock(f"{site.folder}/cp2/tvfc/lock")


def _what_is_switched(site: Site) -> None:
    blue, green = table(site, "totals"), table(site, "green")
    with closing(sqlite3.connect(site.folder / "x.db")) as database, database:
        database.execute("UPDATE green SET last = 'of green'")
        database.execute("CREATE VIEW readers AS SELECT * FROM totals")
    done = called(switch.command, site, "--accept-differences")
    assert done.exit_code == 0, done.output
    assert "start the job of" in done.output
    assert [each[2] for each in table(site, "totals")] == ["of green"] * len(green)
    assert table(site, "readers") == table(site, "totals")
    assert table(site, "green") == blue

    # Each job is refused under its old name, and goes on under the new one.
    for query, checkpoint in ((BLUE, "cp"), (GREEN, "cp2")):
        refused(site, query, checkpoint)
    site.arrive(AFTER[2:])
    site.run(SWITCHED, "cp2")
    assert "of green" not in [each[2] for each in table(site, "totals")]
    site.run(BLUE.replace("table 'totals'", "table 'green'"), "cp")
    found = verdicts(site)
    assert found["totals"]["verdict"] == "same", found

    # And back again.
    assert called(switch.command, site).exit_code == 0
    site.run(BLUE, "cp")
    site.run(GREEN, "cp2")


def test_a_switch_that_is_cut_short_is_ended(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the tables are exchanged, after that, and after each file of the checkpoints."""
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(BLUE, "cp")
    site.run(WRONG, "cp2")
    green, before = table(site, "green"), tree(tmp_path / "cp2/tvfc")
    for step in range(6):
        left = step

        def write(place: str, text: str) -> None:
            nonlocal left
            left -= "switch.json" not in place
            if left == 0:
                raise KeyboardInterrupt
            write_text(place, text)

        with monkeypatch.context() as patched:
            patched.setattr("commands.switch.write_text", write)
            if step == 0:
                patched.setattr(exchange, "_exchange", _broken)
            if step == 5:
                patched.setattr(switch, "remove", _broken)
            assert called(switch.command, site, "--accept-differences").exit_code == 1
        assert (table(site, "totals") == green) == (step > 0)
        if step in (1, 3):
            _nobody_writes_to_a_table_of_another(site)
        done = called(switch.command, site, "--accept-differences")
        assert done.exit_code == 0, done.output
        assert table(site, "totals") == green
        assert not (tmp_path / "cp2/tvfc/switch.json").exists()
        assert called(switch.command, site, "--accept-differences").exit_code == 0
        assert table(site, "green") == green
        assert tree(tmp_path / "cp2/tvfc") == before


def _broken(*_: Any) -> None:
    raise KeyboardInterrupt


def _nobody_writes_to_a_table_of_another(site: Site) -> None:
    """One of the two queries of each job is refused, and the other one is whole."""
    owners = table(site, "_tvfc_batches")
    for query, checkpoint in ((BLUE, "cp"), (WRONG, "cp2")):
        table_of = "totals" if checkpoint == "cp" else "green"
        own = json.loads((site.folder / checkpoint / "metadata").read_text())["id"]
        if (table_of, own) in [each[:2] for each in owners]:
            continue
        refused(site, query, checkpoint)
