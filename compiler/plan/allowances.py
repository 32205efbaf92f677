"""For how long the sources of a plan take rows that are late."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from compiler.plan.nodes import Plan, Scan, Watermark, Watermarked, rebuilt, walk


def marks_of(plan: Plan) -> list[tuple[str, Watermark]]:
    """The watermarks in a plan, by the names under which late rows are counted."""
    found: list[tuple[str, Watermark]] = []
    for each in walk(plan):
        if isinstance(each, Scan) and each.source.watermark is not None:
            found.append((each.source.name, each.source.watermark))
        elif isinstance(each, Watermarked):
            found.append((each.source, each.watermark))
    return found


def with_allowance(plan: Plan, lengths: dict[str, timedelta] | dict[None, timedelta]) -> Plan:
    """A plan whose sources take late rows for some time, by name; None: all of them."""
    by_name: dict[str | None, timedelta] = dict(lengths.items())

    def marked(name: str, mark: Watermark) -> Watermark:
        length = by_name.get(name, by_name.get(None))
        return mark if length is None else replace(mark, allowance=length)

    def change(node: Plan) -> Plan:
        match node:
            case Scan(source=source) if source.watermark is not None:
                mark = marked(source.name, source.watermark)
                return replace(node, source=replace(source, watermark=mark))
            case Watermarked(source=name, watermark=mark):
                return replace(node, watermark=marked(name, mark))
            case _:
                return node

    return rebuilt(plan, change)
