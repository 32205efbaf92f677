"""OPTIONS (backfill 'parquet', backfill.path '…'): the history of a source, read before it."""

from __future__ import annotations

from compiler.bind.sources.options import HISTORY, check_history_options
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import listed
from compiler.plan.facts.sources import is_changing
from compiler.plan.nodes import Source

_PREFIX = f"{HISTORY}."
_HISTORIES = ("parquet", "orc", "json", "csv")
_LIVE = ("kafka", *_HISTORIES)
"""Sources that can stand still while a history is read."""


def check_backfill(source: Source, problems: Problems) -> None:
    """See that a history can be read, and the source after it."""
    given = {name.lower(): value for name, value in source.options}
    own = tuple(
        (name[len(_PREFIX) :], value)
        for name, value in source.options
        if name.lower().startswith(_PREFIX)
    )
    form = given.get(HISTORY)
    if form is None and not own:
        return
    fault = _fault(source, form, given)
    if fault is not None:
        text, label, advice = fault
        problems.add("TVF681", text, source.span, label, advice=advice)
        return
    check_history_options(source, (form or "").lower(), own, problems)


def _fault(source: Source, form: str | None, given: dict[str, str]) -> tuple[str, str, str] | None:
    """What is wrong with the history of a source, where, and what to write; None: nothing."""
    name = source.name
    if form is None or form.lower() not in _HISTORIES:
        return (
            f"`{name}` does not say in which files its history lies",
            f"backfill {form}" if form else f"no {HISTORY}",
            f"write `backfill 'parquet'`, or another of {listed([*_HISTORIES])}",
        )
    if f"{_PREFIX}path" not in given:
        return (
            f"`{name}` does not say where its history lies",
            "no backfill.path",
            "add `backfill.path 'folder'` to OPTIONS",
        )
    if source.static or source.format not in _LIVE:
        return (
            f"`{name}` has a history and cannot wait until that is read",
            "a table" if source.static else f"USING {source.format}",
            f"a source with a history is of {listed([*_LIVE])}",
        )
    if is_changing(source):
        return (
            f"`{name}` has a history and is a source of changes",
            "records that take others back",
            "declare rows that stay, or begin with a snapshot in the topic itself",
        )
    if source.watermark is not None and source.watermark.per is not None:
        return (
            f"`{name}` has a history, and a watermark PER a group",
            "the groups of the history would be silent from then on, and hold the clock",
            "leave PER out",
        )
    return None
