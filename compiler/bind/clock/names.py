"""`WATERMARK_TS()` and `WATERMARK_TS(alias)`: whose watermark it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from compiler.bind.names.refusals import refuse_changes
from compiler.bind.names.scope import Relation, Scope, streams_of
from compiler.bind.names.shapes import own_parts
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.source import Span
from compiler.syntax import span_of
from compiler.syntax.nodes import WatermarkTs


class NamedClock(NamedTuple):
    """`WATERMARK_TS(alias)`: where it stands, and the sources whose watermark it is."""

    span: Span
    watermarks: frozenset[str]


def check_clocks(node: exp.Select, scope: Scope) -> Iterator[NamedClock]:
    """The named clocks of a SELECT; one without a watermark, or of no relation, is reported."""
    for clock in own_parts(node, WatermarkTs):
        relation = scope.relation(clock.this.name) if clock.this else None
        if clock.this and relation is None:
            _unknown_alias(clock, scope)
            continue
        _need_watermark(clock, [relation] if relation else scope.relations, scope)
        if relation is not None and not relation.is_open:
            yield NamedClock(span_of(clock), relation.watermarks)


def _unknown_alias(clock: exp.Expression, scope: Scope) -> None:
    aliases = [each.alias for each in scope.relations if each.alias]
    scope.problems.add(
        "TVF207",
        f"WATERMARK_TS({clock.this.name}): there is no relation of that name here",
        span_of(clock.this),
        "not in FROM",
        notes=[f"FROM has {listed(aliases)}"],
        advice=did_you_mean(clock.this.name, aliases) or "name one of them",
    )


def _need_watermark(clock: exp.Expression, owners: list[Relation], scope: Scope) -> None:
    if any(each.watermarks or each.is_open for each in owners):
        return
    what = "WATERMARK_TS()"
    if any(refuse_changes(each, what, span_of(clock), scope.problems) for each in owners):
        return
    streams = sorted(streams_of(owners))
    if owners and not streams:
        scope.problems.add(
            "TVF301",
            "WATERMARK_TS() has no value beside tables alone",
            span_of(clock),
            "no watermark to read",
            more=[(each.span, "is a table, whose rows have no clock") for each in owners][:1],
            notes=["streams that a subquery reads give a clock to their own rows"],
            advice="put the condition into the subquery, on a column of the stream; or compare "
            "with mz_now(), here and in the subquery",
        )
        return
    name = streams[0] if streams else "source"
    scope.problems.add(
        "TVF301",
        "WATERMARK_TS() needs a source with a watermark",
        span_of(clock),
        "no watermark to read",
        more=[(each.span, "has no watermark") for each in owners if each.streams][:1],
        advice=f"declare one: `CREATE SOURCE {name} (…, WATERMARK FOR ts AS ts)`",
    )
