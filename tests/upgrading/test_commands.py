"""`tvfc plan`, `tvfc upgrade` and `tvfc savepoint` as commands, and what they refuse."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from run.jobs import tree
from upgrading.cases import BEFORE, DELAYED, WINDOWS, events
from upgrading.upgraded import Site

from commands import plan, savepoint, upgrade
from tvfc_runtime.checkpoint.memory import CheckpointUnfinishedError
from tvfc_runtime.checkpoint.storage import lock, unlock

if TYPE_CHECKING:
    from click import Command
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def said(command: Command, *words: str | Path, fails: bool = False) -> str:
    """What a command prints."""
    done = CliRunner().invoke(command, [*map(str, words)], catch_exceptions=False)
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def row(**values: object) -> tuple[tuple[str, object], ...]:
    """A row as a sink has it."""
    return tuple(sorted(values.items()))


def test_the_commands(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(DELAYED, "cp")
    cp, before = tmp_path / "cp", tree(tmp_path / "cp")
    less, later = tmp_path / "less.sql", tmp_path / "later.sql"
    less.write_text(WINDOWS.replace("SINK out", "SINK wins"), encoding="utf-8")
    later.write_text(DELAYED.replace("5 SECONDS", "6 SECONDS"), encoding="utf-8")

    lines = [line.split() for line in said(plan.command, cp, later).splitlines()]
    assert lines[0][1:4] == ["after", "batch", "3,"]
    assert [each[:4] for each in lines[1:]] == [
        ["source", "events", "same"],
        ["operator", "delay/2", "of", "out"],
        ["sink", "out", "same"],
    ]
    assert "converted" in lines[2]
    (found,) = json.loads(said(plan.command, cp, later, "--format", "json"))
    (held,) = [each for each in found["parts"] if each["what"] == "operator"]
    assert (held["rows"], held["verdict"]) == (3, "converted")
    assert held["bytes"] > 0

    target = tmp_path / "cp2"
    refused = said(upgrade.command, cp, less, "--to", target, fails=True)
    assert "TVF756" in refused
    assert not target.exists()

    _refuses_what_is_not_at_rest(cp, later, target)
    _refuses_what_is_unfinished(site, target)
    said(upgrade.command, cp, later, "--to", target)
    assert not (target / "tvfc/unfinished").exists()
    assert not (target / "left").exists()
    assert "is not empty" in said(upgrade.command, cp, later, "--to", target, fails=True)
    assert tree(cp) == before

    said(savepoint.command, target, "--to", tmp_path / "cp3")
    site.arrive([events(("f", 14, 6))])
    site.run(DELAYED.replace("5 SECONDS", "6 SECONDS"), "cp3")
    left = [("a", 1), ("b", 2), ("d", 9)]
    assert site.rows("out") == Counter(row(id=name, price=price) for name, price in left)


def _refuses_what_is_not_at_rest(cp: Path, query: Path, target: Path) -> None:
    lock(f"{cp}/tvfc/lock")
    assert "runs on" in said(upgrade.command, cp, query, "--to", target, fails=True)
    unlock(f"{cp}/tvfc/lock")
    begun = cp / "offsets/4"
    begun.write_bytes((cp / "offsets/3").read_bytes())
    assert "batch 4" in said(upgrade.command, cp, query, "--to", target, fails=True)
    begun.unlink()


def _refuses_what_is_unfinished(site: Site, target: Path) -> None:
    """A job does not start where an attempt was cut short."""
    (target / "tvfc").mkdir(parents=True)
    (target / "tvfc/unfinished").write_text("")
    (target / "left").write_text("of an attempt that was cut short")
    with pytest.raises(CheckpointUnfinishedError, match="TVF754"):
        site.run(DELAYED, "cp2")
