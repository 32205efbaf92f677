"""A checkpoint from before windows were counted in panes: not continued, but upgraded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from upgrading.cases import AFTER, BEFORE, EVENTS
from upgrading.upgraded import Site, verdicts

from compiler import compile_script, pipeline
from compiler.passes.count_in_panes import count_in_panes
from compiler.source import SourceText
from tvfc_runtime.checkpoint.state import differences

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

QUERY = f"""{EVENTS}
CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT window_end, count(*) AS n, max(price) AS most
FROM HOP(events, ts, INTERVAL 2 SECONDS, INTERVAL 8 SECONDS)
GROUP BY window_end EMIT ON WINDOW CLOSE;
"""


def test_the_state_of_whole_windows_is_not_taken_for_panes() -> None:
    source = SourceText("query.sql", QUERY)
    states = []
    for in_panes in (False, True):
        text = compile_script(source, scenario=True, in_panes=in_panes).text
        _, _, rest = text.partition('STATE = """')
        states.append(json.loads(rest.partition('"""')[0])["out"])
    told = differences(*states)
    assert "the groups of events is gone" in told
    assert "the panes of hop windows of events is new" in told


@pytest.mark.spark
@pytest.mark.thorough
def test_whole_windows_go_on_as_panes(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = []
    for name in ("before", "always"):
        (tmp_path / name).mkdir()
        site = Site(spark, tmp_path / name)
        site.arrive(BEFORE)
        with monkeypatch.context() as earlier:
            if name == "before":
                passes = tuple(each for each in pipeline.PLAN_PASSES if each is not count_in_panes)
                earlier.setattr(pipeline, "PLAN_PASSES", passes)
            site.run(QUERY, "cp")
        begun, checkpoint = site.rows("out"), "cp"
        if name == "before":
            with site.examined("cp", QUERY) as whole:
                assert "needs history" in verdicts(whole).values()
                site.carry_out(whole, "cp2")
            checkpoint = "cp2"
        site.arrive(AFTER)
        site.run(QUERY, checkpoint)
        wanted.append((begun, site.rows("out") - begun))
    assert wanted[0] == wanted[1]
    assert wanted[0][1]
