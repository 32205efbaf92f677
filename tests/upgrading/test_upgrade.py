"""A query is changed and goes on with what it has: on real Spark, each kind of change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from run.jobs import tree
from upgrading.cases import CASES
from upgrading.upgraded import Case, Site, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Out = dict[str, Counter[tuple[Any, ...]]]

NAMES = ("out", "elsewhere", "first", "w")
"""Folders of sinks."""

SHORT: set[str] = {"a longer delay whose columns are not held"}
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
    before, sinks = tree(site.folder / "cp"), _sinks(site)
    with site.examined("cp", case.new) as whole:
        assert case.expected.items() <= verdicts(whole).items()
        assert whole.lost == case.accept
        site.carry_out(whole, "cp2")
    assert tree(site.folder / "cp") == before
    assert _sinks(site) == sinks
    site.arrive(case.after)
    site.run(case.new, "cp2")
    assert _since(sinks, _sinks(site)) == (_of_a_run_of_the_new(case, tmp_path, spark))


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
    before = _sinks(site)
    site.arrive(case.after)
    site.run(case.new, "cp")
    return _since(before, _sinks(site))


def _sinks(site: Site) -> Out:
    names = [path.name for path in site.folder.iterdir() if path.name in NAMES]
    return {name: rows for name in names if (rows := site.rows(name))}


def _since(before: Out, after: Out) -> Out:
    found = {name: rows - before.get(name, Counter()) for name, rows in after.items()}
    return {name: rows for name, rows in found.items() if rows}
