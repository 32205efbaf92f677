"""What is said of a checkpoint in a store that Spark does not know here: as of a local one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from field.servers.s3 import s3
from run.jobs import tree
from upgrading.cases import BEFORE, EVENTS, EXTRA, OUT, events
from upgrading.test_commands import row
from upgrading.upgraded import Site

from commands import plan, savepoint, state, status, why
from tvfc_runtime.checkpoint.storage import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click import Command
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.field, pytest.mark.spark]

QUERY = f"""{EVENTS}{OUT}SELECT id, price FROM events
WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
{EXTRA}CREATE SINK pairs USING json OPTIONS (path 'pairs') AS
SELECT a.id, b.price FROM events AS a JOIN events AS b ON a.id = b.id
AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 9 SECONDS;
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with s3(tmp_path) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield "s3a://tvfc"


def said(command: Command, *words: str, fails: bool = False) -> str:
    done = CliRunner().invoke(command, [*words], catch_exceptions=False)
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def test_commands(store: str, tmp_path: Path, spark: SparkSession) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    site = Site(spark, folder)
    site.arrive(BEFORE)
    site.run(QUERY, "cp")
    near, far = str(folder / "cp"), f"{store}/jobs/cp"
    for name, content in tree(folder / "cp").items():
        write_bytes(f"{far}/{name}", content)

    (here,), (there,) = (
        json.loads(said(status.command, each, "--format", "json")) for each in (near, far)
    )
    differing = {key for key in here if here[key] != there[key]}
    assert differing == {"place", "runs", "why"}
    assert (here["runs"], there["runs"]) == (False, None)

    held = said(state.command, near, "--format", "json")
    assert len(json.loads(held)) > 5
    assert said(state.command, far, "--format", "json") == held
    old = ["--as-of", "1", "--format", "json"]
    assert said(state.command, far, *old) == said(state.command, near, *old)
    assert "cannot be read" in said(state.command, far, "--as-of", "99", fails=True)

    asked = ["--row", "id IN ('a', 'c', 'x')"]
    assert said(why.command, far, *asked).replace(far, near) == said(why.command, near, *asked)
    query = folder / "later.sql"
    query.write_text(QUERY.replace("5 SECONDS", "6 SECONDS"), encoding="utf-8")
    assert said(plan.command, far, str(query)).replace(far, near) == said(
        plan.command, near, str(query)
    )

    # A savepoint goes there and comes back, and the job goes on with it.
    said(savepoint.command, near, "--to", f"{store}/saved")
    assert said(state.command, f"{store}/saved", "--format", "json") == held
    said(savepoint.command, f"{store}/saved", "--to", str(folder / "cp2"))
    site.arrive([events(("f", 14, 6))])
    before = site.rows("out")
    site.run(QUERY, "cp2")
    left = [("c", 3), ("d", 9)]
    assert site.rows("out") - before == Counter(row(id=name, price=price) for name, price in left)
