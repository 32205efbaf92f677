"""A short slice of the fuzzing, always the same, and what longer runs have found."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.mutations import Mutator, queries, scenarios
from fuzz.sampler import Sampler
from fuzz.targets import compiles, loads

SEEDS = sorted((Path(__file__).parent / "seeds").iterdir())


@pytest.mark.parametrize("file", SEEDS, ids=lambda file: file.name)
def test_what_was_found(file: Path, tmp_path: Path) -> None:
    text = file.read_bytes().decode("utf-8", "surrogatepass")
    if file.suffix == ".yaml":
        loads(text, tmp_path)
    else:
        compiles(text)


def test_texts_of_the_grammar() -> None:
    for seed in range(30):
        compiles(Sampler(seed).script())


def test_changed_queries() -> None:
    known = queries()
    for seed in range(20):
        compiles(Mutator(seed, known).text())


def test_changed_scenarios(tmp_path: Path) -> None:
    known = scenarios()
    for seed in range(20):
        loads(Mutator(seed, known).text(), tmp_path)
