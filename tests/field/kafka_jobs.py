"""Scripts that read Kafka, compiled and run to the end of what is there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvfc_runtime
from commands.schemas import FoundSchemas
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE_S = 240


def ran(spark: SparkSession, folder: Path, script: str) -> None:
    """Run a script to the end of its input; a second run goes on where the first one stopped."""
    text = compile_script(
        SourceText(str(folder / "query.sql"), script), schemas=FoundSchemas(folder)
    ).text
    spec = load_job(text, folder / "job.py").JOB
    leads = [each for each in spec.outputs if each.beside is None]
    for lead in leads:
        together = tuple(each for each in spec.outputs if lead.name in (each.name, each.beside))
        job = tvfc_runtime.Job(spark, str(folder / f"checkpoint-{lead.name}"))
        query = tvfc_runtime.start(job, spec, together, availableNow=True)
        assert query.awaitTermination(PATIENCE_S)


def written(folder: Path) -> list[dict[str, Any]]:
    """The rows of a sink of JSON files."""
    lines = [
        line
        for path in sorted(folder.glob("*.json"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line) for line in lines]


def at(second: float) -> datetime:
    """A moment of a test's day."""
    return datetime.fromtimestamp(1_700_000_000 + second, UTC)
