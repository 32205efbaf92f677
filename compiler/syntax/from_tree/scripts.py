"""Hive's way to run rows through a script: TRANSFORM, MAP and REDUCE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from compiler.syntax.from_tree.arguments import Arguments


def transform(
    given: Arguments,
    row_format_before: exp.Expression | None,
    record_writer: exp.Expression | None,
    script: exp.Expression,
    schema: exp.Schema | None,
    row_format_after: exp.Expression | None,
    record_reader: exp.Expression | None,
) -> exp.QueryTransform:
    """`TRANSFORM (a, b) USING 'script' AS (c, d)`."""
    if given.quantifier:
        raise RefusalError("TVF109", f"TRANSFORM has no {given.quantifier}", help="leave it out")
    return exp.QueryTransform(
        expressions=given.items,
        command_script=script,
        schema=schema,
        row_format_before=row_format_before,
        record_writer=record_writer,
        row_format_after=row_format_after,
        record_reader=record_reader,
    )


def transform_schema(*columns: exp.Expression) -> exp.Schema:
    """The columns that a script gives: all with a type, or none."""
    typed = [column for column in columns if isinstance(column, exp.ColumnDef)]
    if typed and len(typed) < len(columns):
        raise RefusalError(
            "TVF109", "some columns of the script have a type, some have none", help="give all one"
        )
    return exp.Schema(expressions=list(columns))


def transform_typed(name: exp.Identifier, kind: exp.DataType) -> exp.ColumnDef:
    """A column of a script with its type."""
    return exp.ColumnDef(this=name, kind=kind)


_SEPARATORS = {
    "FIELDS TERMINATED BY": "fields",
    "ESCAPED BY": "escaped",
    "COLLECTION ITEMS TERMINATED BY": "collection_items",
    "MAP KEYS TERMINATED BY": "map_keys",
    "LINES TERMINATED BY": "lines",
    "NULL DEFINED AS": "null",
}


def row_separator(phrase: str, text: exp.Expression) -> tuple[str, exp.Expression]:
    """One separator of a row format."""
    if phrase == "LINES TERMINATED BY" and text.name != "\n":
        raise RefusalError(
            "TVF109",
            "a line ends in '\\n' and nothing else",
            text.meta.get("span"),
            help="write LINES TERMINATED BY '\\n'",
        )
    return _SEPARATORS[phrase], text


def row_format_delimited(
    *separators: tuple[str, exp.Expression],
) -> exp.RowFormatDelimitedProperty:
    """`ROW FORMAT DELIMITED FIELDS TERMINATED BY ','`."""
    return exp.RowFormatDelimitedProperty(**dict(separators))


def row_format_serde(name: exp.Expression) -> exp.RowFormatSerdeProperty:
    """`ROW FORMAT SERDE 'class'`."""
    return exp.RowFormatSerdeProperty(this=name)


RULES: tuple[Any, ...] = (
    row_format_delimited,
    row_format_serde,
    row_separator,
    transform,
    transform_schema,
    transform_typed,
)
