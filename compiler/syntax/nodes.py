"""sqlglot expressions for what Spark SQL does not have: our statements, clocks and relations.

Each docstring gives the syntax. The classes are plain sqlglot nodes, so `copy`, `walk`,
`transform` and `==` work on them; `print.py` gives them their SQL back.
"""

from __future__ import annotations

from dataclasses import dataclass
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


class CreateSource(exp.Expression):
    """`CREATE SOURCE|STREAM this (columns, watermarks) [INCLUDE included] [USING format] …`.

    `… [OPTIONS (options)] [record]`, where `record` is a RecordFormat.
    """

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "columns": False,
        "watermarks": False,
        "keys": False,
        "included": False,
        "format": False,
        "options": False,
        "record": False,
        "kind": False,
        "exists": False,
    }


class CreateTable(exp.Expression):
    """`CREATE TABLE this (columns) USING format OPTIONS (options)`: a static table."""

    arg_types: ClassVar[dict[str, bool]] = {**CreateSource.arg_types}


class PrimaryKey(exp.Expression):
    """`PRIMARY KEY (expressions)` among the columns of a source: identifiers."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class SourceOption(exp.Expression):
    """`key value`, `key = value`, `'key' = value`: `this` is the key as text."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True}


class RecordFormat(exp.Expression):
    """`FORMAT this ENCODE encode [(options)]`: `this` and `encode` are identifiers."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "encode": True, "options": False}


class Included(exp.Expression):
    """`INCLUDE this [AS alias]`: what of a record beside its value is a column, identifiers."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "alias": False}


class WatermarkFor(exp.Expression):
    """`WATERMARK FOR this AS expression [PER per] [IDLE AFTER …] [MAX FUTURE SKEW …]`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "expression": True,
        "per": False,
        "idle_after": False,
        "max_future_skew": False,
    }


class CreateFunction(exp.Expression):
    """`CREATE FUNCTION this [body]`: `AS 'class' USING …` or `(a INT) RETURNS INT RETURN a`.

    Without a body the function is registered elsewhere.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "body": False}


class FunctionBody(exp.Expression):
    """`AS 'class' USING JAR 'path'`, or `(a INT) RETURNS INT RETURN a`: Spark reads it itself.

    `this` is the expression, or the name of the class; `expressions` are parameters or resources.
    """

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": False, "returns": False}


class FunctionResource(exp.Expression):
    """`JAR this`, `FILE this`, `ARCHIVE this`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True}


class CreateView(exp.Expression):
    """`CREATE [OR REPLACE] [TEMPORARY] [MATERIALIZED] VIEW this [(columns)] AS expression`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "columns": False,
        "expression": True,
        "replace": False,
        "temporary": False,
        "materialized": False,
        "exists": False,
    }


class CreateSink(exp.Expression):
    """`CREATE SINK this [USING format] [OPTIONS (options)] [record] [AS expression]`."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "format": False,
        "options": False,
        "included": False,
        "record": False,
        "expression": False,
        "exists": False,
    }


class InsertInto(exp.Expression):
    """`INSERT INTO this [(columns)] expression`."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "columns": False, "expression": True}


class WatermarkTs(exp.Expression, exp.Func):
    """`WATERMARK_TS()` or `WATERMARK_TS(this)`: the watermark of the query or of one input."""

    arg_types: ClassVar[dict[str, bool]] = {"this": False}


class MzNow(exp.Expression, exp.Func):
    """`mz_now()`: the wall clock as the query's logical time."""

    arg_types: ClassVar[dict[str, bool]] = {}


class ProcTime(exp.Expression, exp.Func):
    """`PROC_TIME()`: when the row arrived."""

    arg_types: ClassVar[dict[str, bool]] = {}


class _Relation(exp.Expression):
    """What our relations share with exp.Table: an alias, and joins that follow in parentheses."""

    @property
    def name(self) -> str:
        """The name of the relation inside, as exp.Table has it."""
        return self.this.name if isinstance(self.this, exp.Expression) else ""


def _relation(**own: bool) -> dict[str, bool]:
    shared = {"alias": False, "sample": False, "pivots": False, "joins": False, "laterals": False}
    return {"this": True, **own, **shared}


class WatermarkRelation(_Relation):
    """`WATERMARK(this, column, expression)`: `this` with another watermark."""

    arg_types: ClassVar[dict[str, bool]] = _relation(column=True, expression=True)


class TumbleRelation(_Relation):
    """`TUMBLE(this, column, size [, offset]) [fill]`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(
        column=True, size=True, offset=False, fill=False
    )


class Fill(exp.Expression):
    """`FILL (this) [FOR silence]` behind TUMBLE; `this` is a Var: 0, NULL, PREVIOUS or LINEAR."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "silence": False}


class HopRelation(_Relation):
    """`HOP(this, column, slide, size [, offset])`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(
        column=True, slide=True, size=True, offset=False
    )


class CumulateRelation(_Relation):
    """`CUMULATE(this, column, step, size)`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(column=True, step=True, size=True)


class SessionRelation(_Relation):
    """`SESSION(this, column, key | (keys), gap)`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(column=True, keys=True, gap=True)


class LateRelation(_Relation):
    """`LATE(this)`: the rows that the watermark of `this` refused."""

    arg_types: ClassVar[dict[str, bool]] = _relation()


class BadRelation(_Relation):
    """`BAD(this)`: the records of a source that do not fit its columns."""

    arg_types: ClassVar[dict[str, bool]] = _relation()


class StreamRelation(_Relation):
    """`STREAM this [WITH (options)] [WATERMARK watermark [AS watermark_alias] DELAY OF delay]`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(
        options=False, watermark=False, watermark_alias=False, delay=False
    )


class TableWithOptions(_Relation):
    """`this WITH (options)`: a table and how it is read."""

    arg_types: ClassVar[dict[str, bool]] = _relation(options=True)


class ChangeFeed(_Relation):
    """`this CHANGES FROM kind start [start_side] [TO kind end [end_side]] [WITH (options)]`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(
        kind=True, start=True, start_side=False, end=False, end_side=False, options=False
    )


class NearestRelation(_Relation):
    """The right side of a join: `this APPROX|EXACT NEAREST count BY measure expression`."""

    arg_types: ClassVar[dict[str, bool]] = _relation(
        exact=True, count=False, measure=True, expression=True
    )


@dataclass(frozen=True)
class MatchClauses:
    """What stands in the parentheses of MATCH_RECOGNIZE.

    No node of a tree: columns and aggregates in it are those of a match, and whoever looks for
    those of the query around must not meet them. `rows` and `skip` are the words of their clauses,
    `skip_to` the variable of the latter; `measures` and `defines` have a name each.
    """

    pattern: exp.Expression
    partition: tuple[exp.Expression, ...] = ()
    order: exp.Order | None = None
    measures: tuple[exp.Alias, ...] = ()
    rows: str = "ONE ROW PER MATCH"
    skip: str = "PAST LAST ROW"
    skip_to: exp.Identifier | None = None
    within: exp.Expression | None = None
    subsets: tuple[MatchSubset, ...] = ()
    defines: tuple[exp.Alias, ...] = ()


class MatchRecognize(_Relation):
    """`this MATCH_RECOGNIZE (…)`: matches of a row pattern; `clauses` are MatchClauses."""

    arg_types: ClassVar[dict[str, bool]] = _relation(clauses=True)


class MatchSubset(exp.Expression):
    """`this = (expressions)`: a name for the rows of several variables."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expressions": True}


class MatchScope(exp.Expression):
    """`RUNNING this`, `FINAL this`: of which rows of a match a measure is."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "kind": True}


class RowVariable(exp.Expression):
    """A variable in a pattern."""


class RowSequence(exp.Expression):
    """Patterns one after the other."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": False}


class RowChoice(exp.Expression):
    """`a | b`: one of several patterns, those before preferred."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class RowRepeat(exp.Expression):
    """`this{least,most}`, without an end if `most` is None; with `?`, as few as will do."""

    arg_types: ClassVar[dict[str, bool]] = {
        "this": True,
        "least": True,
        "most": False,
        "reluctant": False,
    }


class RowExcluded(exp.Expression):
    """`{- this -}`: a pattern whose rows are left out of ALL ROWS PER MATCH."""


class RowPermute(exp.Expression):
    """`PERMUTE(a, b)`: patterns in any order."""

    arg_types: ClassVar[dict[str, bool]] = {"expressions": True}


class EmitOnWindowClose(exp.Expression):
    """`EMIT ON WINDOW CLOSE [revision]`, in the arg `emit` of the query that it ends."""

    arg_types: ClassVar[dict[str, bool]] = {"revision": False}


class Revision(exp.Expression):
    """`THEN REVISE [FOR allowance]`."""

    arg_types: ClassVar[dict[str, bool]] = {"allowance": False}


class EmitChanges(exp.Expression):
    """`EMIT CHANGES [EVERY every]`, likewise."""

    arg_types: ClassVar[dict[str, bool]] = {"every": False}


def is_final(query: exp.Expression) -> bool:
    """Whether a query says that it emits final rows alone."""
    emit = query.args.get("emit")
    return isinstance(emit, EmitOnWindowClose) and emit.args.get("revision") is None


RELATION_NODES: tuple[type[exp.Expression], ...] = (
    WatermarkRelation,
    TumbleRelation,
    HopRelation,
    CumulateRelation,
    SessionRelation,
    LateRelation,
    BadRelation,
    StreamRelation,
    TableWithOptions,
    ChangeFeed,
    NearestRelation,
    MatchRecognize,
)
