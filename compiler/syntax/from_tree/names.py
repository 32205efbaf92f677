"""Names: identifiers, columns, tables and their aliases."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax.refusal import RefusalError
from compiler.syntax.tokens.keyword_lists import NO_TABLE_NAME

# Words that sqlglot reads as a call although no parentheses follow.
_CALLS_WITHOUT_PARENTHESES: dict[str, type[exp.Expression]] = {
    "CURRENT_DATE": exp.CurrentDate,
    "CURRENT_TIMESTAMP": exp.CurrentTimestamp,
    "CURRENT_DATETIME": exp.CurrentDate,
    "CURRENT_USER": exp.CurrentUser,
    "CURRENT_ROLE": exp.CurrentRole,
    "SESSION_USER": exp.SessionUser,
}


def plain_name(text: str) -> exp.Identifier:
    """A bare word as a name; Spark takes letters, digits and the underscore of ASCII."""
    if not text.isascii():
        raise RefusalError(
            "TVF103",
            f"`{text}` has letters that a bare name must not have",
            help=f"put it in backquotes: `{text}`",
        )
    return exp.Identifier(this=text, quoted=False)


def quoted_name(text: str) -> exp.Identifier:
    """A name in backquotes; two of them inside stand for one."""
    return exp.Identifier(this=text[1:-1].replace("``", "`"), quoted=True)


def parameter_name(text: str) -> exp.Identifier:
    """The name of a lambda's parameter or of a named argument."""
    return quoted_name(text) if text[0] == "`" else plain_name(text)


def column(name: exp.Identifier) -> exp.Expression:
    """A name as an expression."""
    if not name.args.get("quoted"):
        call = _CALLS_WITHOUT_PARENTHESES.get(name.this.upper())
        if call is not None:
            return call()
    return exp.Column(this=name)


def field(base: exp.Expression, name: exp.Identifier) -> exp.Expression:
    """`base.name`: part of a column's name as long as a column has parts left, else a field."""
    if type(base) is exp.Column and not base.args.get("catalog") and not base.is_star:
        return exp.Column(
            this=name,
            table=base.this,
            db=base.args.get("table"),
            catalog=base.args.get("db"),
        )
    return exp.Dot(this=base, expression=name)


def dotted_column(*names: exp.Identifier) -> exp.Expression:
    """A dotted name where only a column can stand."""
    node: exp.Expression = exp.Column(this=names[0])
    for name in names[1:]:
        node = field(node, name)
    return node


def table_name(*names: exp.Identifier) -> exp.Table:
    """A dotted name where a table stands: name, db.name, catalog.db.name."""
    if len(names) > 3:
        tail: exp.Expression = names[2]
        for name in names[3:]:
            tail = exp.Dot(this=tail, expression=name)
        return exp.Table(this=tail, db=names[1], catalog=names[0])
    this, db, catalog = (*reversed(names), None, None)[:3]
    return exp.Table(this=this, db=db, catalog=catalog)


def name_list(*names: exp.Identifier) -> list[exp.Identifier]:
    """Names in parentheses."""
    return list(names)


def table_alias(name: exp.Identifier, columns: list[exp.Identifier] | None) -> exp.TableAlias:
    """`AS name (columns)`."""
    if not name.args.get("quoted") and name.this.upper() in NO_TABLE_NAME:
        raise RefusalError(
            "TVF103",
            f"`{name.this}` cannot be the name of a table",
            name.meta.get("span"),
            help=f"put it in backquotes: `{name.this}`",
        )
    return exp.TableAlias(this=name, columns=columns or [])


def unnamed_alias(columns: list[exp.Identifier]) -> exp.TableAlias:
    """`AS (a, b)`: names for the columns alone."""
    return exp.TableAlias(columns=columns)


def alias(value: exp.Expression, name: exp.Identifier) -> exp.Alias:
    """`value AS name`."""
    return exp.Alias(this=value, alias=name)


def aliases(value: exp.Expression, names: list[exp.Identifier]) -> exp.Aliases:
    """`value AS (a, b)`: several columns of a generator."""
    return exp.Aliases(this=value, expressions=names)


def column_tuple(*names: exp.Identifier) -> exp.Expression:
    """`(a, b)` as columns."""
    columns = [exp.Column(this=name) for name in names]
    return exp.Paren(this=columns[0]) if len(columns) == 1 else exp.Tuple(expressions=columns)


def name_tuple(*names: exp.Identifier) -> exp.Tuple:
    """`(a, b)` as new names."""
    return exp.Tuple(expressions=list(names))


def dotted_tuple(*columns: exp.Expression) -> exp.Tuple:
    """`(a.b, c)` as columns."""
    return exp.Tuple(expressions=list(columns))


def star(excluded: list[exp.Expression] | None) -> exp.Star:
    """`* EXCEPT (...)`."""
    return exp.Star(except_=excluded) if excluded else exp.Star()


def star_except(*columns: exp.Expression) -> list[exp.Expression]:
    """The columns that a star leaves out."""
    return list(columns)


def qualified_star(base: exp.Expression, excluded: list[exp.Expression] | None) -> exp.Expression:
    """`base.*`."""
    inner = star(excluded)
    if type(base) is exp.Column and not base.args.get("catalog"):
        return exp.Column(
            this=inner, table=base.this, db=base.args.get("table"), catalog=base.args.get("db")
        )
    if not isinstance(base, (exp.Column, exp.Dot)):
        raise RefusalError(
            "TVF109",
            "`.*` stands behind the name of a table or a column",
            base.meta.get("span"),
            help="name the value in a subquery first, then take its fields",
        )
    return exp.Dot(this=base, expression=inner)


RULES: tuple[Any, ...] = (
    alias,
    aliases,
    column,
    column_tuple,
    dotted_column,
    dotted_tuple,
    field,
    name_list,
    name_tuple,
    qualified_star,
    star,
    star_except,
    table_alias,
    table_name,
    unnamed_alias,
)
