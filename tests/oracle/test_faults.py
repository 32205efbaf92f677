"""The oracle of final rows: its rows stay, and it sees what is missing, too early or twice."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from oracle.batch import Row
from oracle.feeds import Story, by_watermark, moving_files
from oracle.final import FinalRows, Question
from oracle.further_final import FurtherFinalRows
from oracle.test_final import answer, database, faults_of

DELAYS = {"a": 500_000, "b": 1_000_000}
SEEDS = range(150)


def told(seed: int) -> tuple[Question, Story]:
    rng = Random(seed)
    make = FinalRows if seed % 2 else FurtherFinalRows
    return make(rng, "ab").question(), by_watermark(moving_files(rng, 8), DELAYS)


def steps_of(question: Question, story: Story) -> list[list[Row]]:
    """What comes with each file."""
    batch = database(story)
    answers = [answer(question, story, end, batch) for end in range(len(story.clock))]
    return [
        list((now - before).elements())
        for before, now in zip([answers[0] - answers[0], *answers], answers, strict=False)
    ]


def test_what_is_final_stays() -> None:
    """No row that is still to come, and on time, changes one that is there."""
    for seed in SEEDS:
        question, story = told(seed)
        if question.changes:
            continue
        batch = database(story)
        answers = [answer(question, story, end, batch) for end in range(len(story.clock))]
        for now, later in pairwise(answers):
            assert now <= later, f"{seed}: {now - later} go: {question.text.spark}"


def test_rows_that_are_missing_too_early_or_twice_are_faults() -> None:
    seen = 0
    for seed in SEEDS:
        question, story = told(seed)
        steps = steps_of(question, story)
        ends, batch = list(range(len(steps))), database(story)
        places = [place for place, rows in enumerate(steps) if place and rows]
        if question.changes or not places:
            continue
        seen += 1
        assert not faults_of(question, steps, story, ends, batch)
        place = places[0]
        row = steps[place][0]
        lost = [[*rows] for rows in steps]
        lost[place].remove(row)
        early = [[*rows] for rows in lost]
        early[place - 1].append(row)
        twice = [[*rows] for rows in steps]
        twice[-1].append(row)
        for wrong in (lost, early, twice):
            assert faults_of(question, wrong, story, ends, batch), f"{seed}: {question.text.spark}"
    assert seen > 80
