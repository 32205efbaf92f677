"""What compiles is a job that starts: Spark runs a whole batch of it, over sources without rows."""

from __future__ import annotations

from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starts.queries import DECLARED, Writer

from compiler import CompileError, compile_script
from compiler.source import SourceText
from scenario.engine import Engine
from scenario.job_module import load_job

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

FORMS_DECLARED, FORMS = (Path(__file__).with_name("forms.sql").read_text("utf-8")).split("\n\n")
OF_NO_SOURCE = "of no source\t{}"
"""A row that makes a batch and is in none of the sources."""


def written(first: int) -> Iterator[str]:
    """Queries at random, from a seed on."""
    return (Writer(seed).query() for seed in count(first))


def accepted(queries: Iterable[str], declared: str = DECLARED) -> Iterator[tuple[str, str]]:
    """Those of several queries that compile, and their jobs."""
    for query in queries:
        source = SourceText("q.sql", f"{declared}\n{query}")
        try:
            yield query, compile_script(source, scenario=True).text
        except CompileError:
            continue


def fault_of(spark: SparkSession, job: str, folder: Path) -> str | None:
    """Why a job ends with an error; None: it does not."""
    for view in spark.sql("SHOW VIEWS").collect():  # A job that registers none would find these.
        spark.catalog.dropTempView(view.viewName)
    folder.mkdir()
    engine = Engine(spark, load_job(job, folder / "job.py").JOB, folder / "run")
    try:
        engine.start()
        engine.feed([OF_NO_SOURCE])
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:1000]}"
    finally:
        engine.stop()
    return None


def check(spark: SparkSession, jobs: Iterable[tuple[str, str]], folder: Path) -> None:
    found = []
    for place, (query, job) in enumerate(jobs):
        fault = fault_of(spark, job, folder / str(place))
        if fault is not None:
            found.append(f"{query}\n  {fault}")
    assert not found, "\n\n".join(found)


@pytest.mark.spark
def test_accepted_queries_start(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, islice(accepted(written(1)), 6), tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1_000, 31_000, 1_000))
def test_more_accepted_queries_start(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, islice(accepted(written(seed)), 20), tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("part", range(6))
def test_forms_start(part: int, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, accepted(FORMS.splitlines()[part::6], FORMS_DECLARED), tmp_path)


@pytest.mark.slow
def test_half_of_what_is_written_is_accepted() -> None:
    number = 60
    assert len(list(accepted(islice(written(1), number)))) > number * 0.4
