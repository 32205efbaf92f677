"""A checkpoint in a store that is no local disk, as Hadoop spells it: s3a://."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from field.servers.s3 import s3

from tvfc_runtime.checkpoint import storage
from tvfc_runtime.checkpoint.memory import CheckpointMismatchError, Memory
from tvfc_runtime.job.ending import FLUSH, is_cut_short, plan_end

pytestmark = pytest.mark.field


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A folder in the store of a server that runs as long as the test."""
    with s3(tmp_path) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield "s3a://tvfc/cp"


def test_what_a_job_remembers_is_kept_there(place: str) -> None:
    memory = Memory(place)
    memory.claim("one", "SELECT 1", 2)
    memory.counters.batch = 3
    memory.remember(memory.counters)
    with pytest.raises(CheckpointMismatchError, match="TVF701"):
        Memory(place).claim("two", "SELECT 2", 2)
    assert storage.list_names(f"{place}/tvfc") == ["batches", "query.json"]
    assert storage.exists(f"{place}/tvfc/batches")
    assert not storage.exists(f"{place}/offsets")
    storage.move(f"{place}/tvfc/batches/3", f"{place}/tvfc/batches/4")
    assert storage.list_numbers(f"{place}/tvfc/batches") == [4]
    storage.remove(f"{place}/tvfc/batches/4")
    assert storage.list_numbers(f"{place}/tvfc/batches") == []
    with pytest.raises(OSError, match="not"):
        storage.read_text(f"{place}/tvfc/batches/4")


def test_a_run_ends_there(place: str) -> None:
    facts = json.dumps({"batchWatermarkMs": 5, "batchTimestampMs": 6})
    storage.write_text(f"{place}/offsets/0", f"v1\n{facts}\n-")
    storage.write_text(f"{place}/commits/0", 'v1\n{"nextBatchWatermarkMs":7}')
    assert plan_end(place, FLUSH, sessions=False)
    assert is_cut_short(place)
    planned = json.loads(storage.read_text(f"{place}/offsets/1").split("\n")[1])
    assert planned["batchWatermarkMs"] == FLUSH.clock_ms
    storage.write_text(f"{place}/commits/1", "v1\n{}")
    assert not is_cut_short(place)
