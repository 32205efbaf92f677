"""A query is changed and goes on with what it has: on real Spark, each kind of change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from run.jobs import tree
from upgrading.cases import CASES
from upgrading.upgraded import Case, Out, Site, since, sinks, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHORT: set[str] = {"another aggregate"}
"""Cases that every run of the tests has."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(each, id=each.name, marks=[] if each.name in SHORT else [pytest.mark.thorough])
        for each in CASES
    ],
)
def test_a_change(case: Case, tmp_path: Path, spark: SparkSession) -> None:
    site = _site(tmp_path / "one", spark)
    site.arrive(case.before)
    site.run(case.old, "cp")
    before, begun = tree(site.folder / "cp"), sinks(site)
    with site.examined("cp", case.new) as whole:
        assert case.expected.items() <= verdicts(whole).items()
        assert whole.lost == case.accept
        site.carry_out(whole, "cp2")
    assert tree(site.folder / "cp") == before
    assert sinks(site) == begun
    site.arrive(case.after)
    site.run(case.new, "cp2")
    assert since(begun, sinks(site)) == (_of_a_run_of_the_new(case, tmp_path, spark))


def _site(folder: Path, spark: SparkSession) -> Site:
    folder.mkdir()
    return Site(spark, folder)


def _of_a_run_of_the_new(case: Case, folder: Path, spark: SparkSession) -> Out:
    """What comes out after the change if the query has always been the new one."""
    if case.leaves is not None:
        return {
            name: Counter(tuple(sorted(row.items())) for row in rows)
            for name, rows in case.leaves.items()
            if rows
        }
    site = _site(folder / "other", spark)
    site.arrive(case.before)
    site.run(case.new, "cp")
    before = sinks(site)
    site.arrive(case.after)
    site.run(case.new, "cp")
    return since(before, sinks(site))
