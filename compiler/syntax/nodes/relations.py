"""Our relations in FROM: what stands in the place of a table."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class OwnRelation(exp.Expression):
    """What our relations share with exp.Table: an alias, and joins that follow in parentheses."""

    @property
    def name(self) -> str:
        """The name of the relation inside, as exp.Table has it."""
        return self.this.name if isinstance(self.this, exp.Expression) else ""


def relation_args(**own: bool) -> dict[str, bool]:
    """The arg_types of a relation of ours, with its own ones."""
    shared = {"alias": False, "sample": False, "pivots": False, "joins": False, "laterals": False}
    return {"this": True, **own, **shared}


class WatermarkRelation(OwnRelation):
    """`WATERMARK(this, column, expression)`: `this` with another watermark."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(column=True, expression=True)


class TumbleRelation(OwnRelation):
    """`TUMBLE(this, column, size [, offset]) [fill]`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(
        column=True, size=True, offset=False, fill=False
    )


class Fill(exp.Expression):
    """`FILL (this) [FOR silence]` behind TUMBLE, HOP; `this` is Var 0, NULL, PREVIOUS, LINEAR."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "silence": False}


class HopRelation(OwnRelation):
    """`HOP(this, column, slide, size [, offset]) [fill]`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(
        column=True, slide=True, size=True, offset=False, fill=False
    )


class CumulateRelation(OwnRelation):
    """`CUMULATE(this, column, step, size)`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(column=True, step=True, size=True)


class SessionRelation(OwnRelation):
    """`SESSION(this, column, key | (keys), gap)`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(column=True, keys=True, gap=True)


class LateRelation(OwnRelation):
    """`LATE(this)`: the rows that the watermark of `this` refused."""

    arg_types: ClassVar[dict[str, bool]] = relation_args()


class BadRelation(OwnRelation):
    """`BAD(this)`: the records of a source that do not fit its columns."""

    arg_types: ClassVar[dict[str, bool]] = relation_args()


class StreamRelation(OwnRelation):
    """`STREAM this [WITH (options)] [WATERMARK watermark [AS watermark_alias] DELAY OF delay]`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(
        options=False, watermark=False, watermark_alias=False, delay=False
    )


class TableWithOptions(OwnRelation):
    """`this WITH (options)`: a table and how it is read."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(options=True)


class ChangeFeed(OwnRelation):
    """`this CHANGES FROM kind start [start_side] [TO kind end [end_side]] [WITH (options)]`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(
        kind=True, start=True, start_side=False, end=False, end_side=False, options=False
    )


class NearestRelation(OwnRelation):
    """The right side of a join: `this APPROX|EXACT NEAREST count BY measure expression`."""

    arg_types: ClassVar[dict[str, bool]] = relation_args(
        exact=True, count=False, measure=True, expression=True
    )
