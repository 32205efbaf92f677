"""What README.md shows of the examples is what the compiler says of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from run.jobs import ROOT

from commands.files import compile_file

BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)


def shown(language: str, word: str) -> list[str]:
    """The blocks of a language in which a word stands."""
    return [text for kind, text in BLOCKS if kind == language and word in text]


def is_part_of(block: str, whole: str) -> bool:
    """Whether the lines of a block stand in a text in this order; others may stand between."""
    lines = iter(whole.splitlines())
    return all(line in lines for line in block.splitlines() if line)


@pytest.mark.parametrize("name", ["delayed_flights", "in_the_air"])
def test_the_readme_shows_what_is_so(name: str, tmp_path: Path) -> None:
    query = ROOT / f"examples/{name}.sql"
    job = compile_file(query, tmp_path)
    word = {"delayed_flights": "published", "in_the_air": "dep"}[name]
    code = {"delayed_flights": "tvfc.earliest", "in_the_air": "tvfc.between"}[name]
    assert any(is_part_of(each, query.read_text("utf-8")) for each in shown("sql", word))
    assert any(is_part_of(each, job.text) for each in shown("python", code))
    assert any(is_part_of(each, job.explain) for each in shown("", "release plan of"))
