"""What a query reads, as steps; see plan/nodes/inputs.py."""

from __future__ import annotations

from datetime import timedelta

from compiler.plan import nodes as plan
from compiler.release.nodes import Field, Input, Read, Watermarked
from compiler.sql.names import quoted_name
from compiler.sqltypes import Kind


def read(scan: plan.Scan, name: str) -> Read:
    """The rows of a source or table."""
    source, mark = scan.source, scan.source.watermark
    return Read(
        name=name,
        source=source.name,
        fields=tuple(
            Field(name=each.name, type=each.type.ddl, required=each.required)
            for each in source.columns
        ),
        format=source.format,
        options=source.options,
        static=source.static,
        time=mark.time if mark else None,
        strategy=mark.strategy if mark else None,
        idle_after=mark.idle_after if mark else None,
        allowance=mark.allowance if mark else timedelta(0),
        ticks=scan.ticks,
        beside_clock=scan.beside_clock,
        record=source.record,
        included=source.included,
        key=source.key,
        per=mark.per if mark else None,
        epoch_ms=tuple(
            each.name
            for each in source.columns
            if mark and mark.column in (each.name, quoted_name(each.name))
            if each.type.kind is Kind.NUMBER
        ),
    )


def watermarked(node: plan.Watermarked, below: Input, name: str) -> Watermarked:
    """Rows that a watermark admits."""
    mark = node.watermark
    return Watermarked(
        name=name,
        input=below,
        source=node.source,
        time=mark.time,
        strategy=mark.strategy,
        epoch_ms=node.epoch_ms,
        allowance=mark.allowance,
    )
