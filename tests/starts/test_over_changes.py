"""Every form of a query over sources of changes instead: refused with a code, or it starts."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starts.test_every_query_starts import FORMS, FORMS_DECLARED, accepted, check

from compiler import CompileError, compile_script
from compiler.source import SourceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARK = ", WATERMARK FOR ts AS ts);"


def over_changes(*names: str) -> str:
    """What is declared, some of it as sources of changes."""
    lines = FORMS_DECLARED.splitlines()
    for place, line in enumerate(lines):
        found = re.match(r"CREATE SOURCE (\w+) ", line)
        if found and found[1] in names:
            lines[place] = line.replace(MARK, ", PRIMARY KEY (id)) FORMAT UPSERT ENCODE JSON;")
    return "\n".join(lines)


@pytest.mark.slow
def test_what_is_refused_has_a_code() -> None:
    declared = over_changes("a")
    codes: Counter[str] = Counter()
    for query in FORMS.splitlines():
        try:
            compile_script(SourceText("q.sql", f"{declared}\n{query}"), scenario=True)
        except CompileError as error:
            codes.update({each.code for each in error.diagnostics})
        else:
            codes["accepted"] += 1
    assert codes["TVF665"] > 20
    assert codes["accepted"] > len(FORMS.splitlines()) / 2


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("part", range(6))
def test_what_is_accepted_starts(part: int, spark: SparkSession, tmp_path: Path) -> None:
    declared = over_changes("a", "b")
    check(spark, accepted(FORMS.splitlines()[part::6], declared), tmp_path)
