"""Calls: how one was written, and those that read a clock."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from sqlglot import exp

WRITTEN = "written"
"""Under which a node's meta has its WrittenCall."""


class WrittenCall(NamedTuple):
    """A call as it was written.

    `nulls_inside` tells of IGNORE NULLS within the parentheses, `has_star` of `*` or `t.*`.
    """

    name: str
    arguments: int
    is_distinct: bool
    nulls_inside: bool
    has_star: bool


class WatermarkTs(exp.Expression, exp.Func):
    """`WATERMARK_TS()` or `WATERMARK_TS(this)`: the watermark of the query or of one input."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False}


class MzNow(exp.Expression, exp.Func):
    """`mz_now()`: the wall clock as the query's logical time."""

    arg_types: ClassVar[dict[str, bool]] = {}


class ProcTime(exp.Expression, exp.Func):
    """`PROC_TIME()`: when the row arrived."""

    arg_types: ClassVar[dict[str, bool]] = {}
