"""Upgrades that are killed: the old checkpoint stays, the new one is whole or refused."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from run.jobs import tree
from upgrading.cases import BEFORE, DELAYED, WINDOWS_BESIDE, events
from upgrading.test_commands import row
from upgrading.upgraded import Site

from commands.upgrading import assembly, store_files
from commands.upgrading.taken_over import wanted_by
from tvfc_runtime.checkpoint.memory import CheckpointUnfinishedError, Memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from commands.upgrading.assembly import Wanted

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

KILLS = 20
WRITES = ("write_bytes", "write_text", "remove", "remove_folder")
OLD = DELAYED + WINDOWS_BESIDE
NEW = OLD.replace("5 SECONDS", "6 SECONDS")


def test_kills(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(OLD, "cp")
    before, target = tree(tmp_path / "cp"), str(tmp_path / "cp2")
    chance = random.Random(17)
    with site.examined("cp", NEW) as whole:
        wanted = wanted_by(whole, target)
        steps = _steps_of_a_run(wanted, target)
        assert steps > KILLS
        shutil.rmtree(target)
        for _ in range(KILLS):
            assert _killed_at(chance.randint(1, steps), wanted, target)
            assert tree(tmp_path / "cp") == before
            if (tmp_path / "cp2/tvfc/unfinished").exists():
                with pytest.raises(CheckpointUnfinishedError):
                    Memory(target).claim("", "", 0)
            else:
                # Not even begun: the mark is the first thing that is written, the last that goes.
                assert not (tmp_path / "cp2").exists() or not any((tmp_path / "cp2").iterdir())
        assembly.put_together(target, wanted)
    site.arrive([events(("f", 14, 6))])
    site.run(NEW, "cp2")
    left = [("a", 1), ("b", 2), ("d", 9)]
    assert site.rows("out") == Counter(row(id=name, price=price) for name, price in left)


def _steps_of_a_run(wanted: list[Wanted], target: str) -> int:
    """How many changes to files there are."""
    done = 0

    def count() -> None:
        nonlocal done
        done += 1

    undo = _before_each_change(count)
    try:
        assembly.put_together(target, wanted)
    finally:
        undo()
    return done


def _killed_at(step: int, wanted: list[Wanted], target: str) -> bool:
    """Put a checkpoint together in a process that is killed at one of its changes to files."""
    process = os.fork()
    if process == 0:
        left = step

        def kill() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        _before_each_change(kill)
        assembly.put_together(target, wanted)
        os._exit(0)
    _, status = os.waitpid(process, 0)
    return os.WIFSIGNALED(status)


def _before_each_change(do: Callable[[], None]) -> Callable[[], None]:
    """Have something done before each change to files; answers what undoes that."""
    saved = []
    for module in (assembly, store_files):
        for name in WRITES:
            if hasattr(module, name):
                own = getattr(module, name)
                saved.append((module, name, own))

                def changed(*given: object, own: Callable[..., None] = own) -> None:
                    do()
                    own(*given)

                setattr(module, name, changed)

    def undo() -> None:
        for module, name, own in saved:
            setattr(module, name, own)

    return undo
