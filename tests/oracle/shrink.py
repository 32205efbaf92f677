"""A failing query over random rows, made small and written down as a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import yaml
from oracle.batch import Row
from oracle.feeds import File
from oracle.trial import local_text, seconds_text

Fails = Callable[[list[File]], bool]


def shrink(files: list[File], fails: Fails, attempts: int) -> list[File]:
    """Fewer files and fewer rows that still fail: whatever can go without mending it is gone.

    Args:
        files: they fail.
        fails: tells of others whether they do; each call runs a job.
        attempts: how many calls there may be.
    """
    shrunk = True
    while shrunk:
        shrunk = False
        for smaller in _smaller(files):
            if attempts == 0:
                return files
            attempts -= 1
            if fails(smaller):
                files, shrunk = smaller, True
                break
    return files


def _smaller(files: list[File]) -> Iterator[list[File]]:
    """The same without some of it, the larger parts first."""
    half = len(files) // 2
    while half:
        for start in range(0, len(files), half):
            rest = files[:start] + files[start + half :]
            # The last one waits: what comes of all of them is compared once the job is at rest.
            if rest:
                yield [*rest[:-1], replace(rest[-1], waits=True)]
        half //= 2
    for place, file in enumerate(files):
        for smaller in _with_fewer_rows(file):
            yield [*files[:place], smaller, *files[place + 1 :]]


def _with_fewer_rows(file: File) -> Iterator[File]:
    if file.restarts:
        yield replace(file, restarts=False)
    for name, rows in file.rows.items():
        if len(rows) > 1:
            yield replace(file, rows={**file.rows, name: []})
        for place in range(len(rows)):
            yield replace(file, rows={**file.rows, name: rows[:place] + rows[place + 1 :]})


def scenario_text(
    title: str,
    query: str,
    files: list[File],
    *,
    times: frozenset[int],
    table: list[Row],
    snapshot: list[Row],
    local: frozenset[int] = frozenset(),
) -> str:
    """A scenario file.

    Args:
        title: what the scenario is called.
        query: the script, which ends in a bare query.
        files: one step each.
        times: the places in a row where there are microseconds since the epoch.
        table: the rows of the static table `c`, if there is one.
        snapshot: the rows that must stand in the result at the end, in the same form as those of
            the files, but for their times, which are whole texts already.
        local: those of the times that have no zone.
    """
    steps: list[dict[str, object]] = []
    text_of = {place: local_text if place in local else seconds_text for place in times}
    for file in files:
        rows = {name: [_written(row, text_of) for row in rows] for name, rows in file.rows.items()}
        step: dict[str, object] = {name: each for name, each in rows.items() if each}
        if file.now is not None:
            step["now"] = seconds_text(file.now * 1000)
        steps.append(step)
        if file.restarts:
            steps.append({"restart": True})
    steps.append({"snapshot": [list(row) for row in snapshot]})
    document = {
        "title": title,
        "query": query,
        **({"tables": {"c": [_written(row, text_of) for row in table]}} if table else {}),
        "steps": steps,
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=100)


def _written(row: Row, text_of: Mapping[int, Callable[[int], str]]) -> list[object]:
    return [
        text_of[place](value) if place in text_of and value is not None else value
        for place, value in enumerate(row)
    ]
