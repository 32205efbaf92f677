"""Our statements: sources, tables, functions, views, sinks."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


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
