"""FROM: tables, subqueries, table functions, lateral views."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax.from_tree.checks import check_row_lengths, check_row_names
from compiler.syntax.refusal import RefusalError


def from_clause(*relations: tuple[exp.Expression, list[exp.Join]]) -> exp.From:
    """`FROM a JOIN b ..., c`: commas are cross joins; the SELECT takes the joins over."""
    first, joins = relations[0]
    all_joins = list(joins)
    for table_, more in relations[1:]:
        comma = exp.Join(this=table_, kind="CROSS")
        comma.meta.update(table_.meta, comma=True)
        all_joins += [comma, *more]
    source = exp.From(this=first)
    source.meta["joins"] = all_joins
    return source


def relation(first: exp.Expression, *joins: exp.Join) -> tuple[exp.Expression, list[exp.Join]]:
    """A table and what is joined to it."""
    return first, list(joins)


def lateral_relation(
    first: exp.Expression, *joins: exp.Join
) -> tuple[exp.Expression, list[exp.Join]]:
    """`LATERAL (query) AS a`."""
    return lateral(first), list(joins)


def lateral(item: exp.Expression) -> exp.Lateral:
    """A relation that sees those on its left; its alias moves outside."""
    if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
        raise RefusalError(
            "TVF109",
            "LATERAL stands before a subquery or a table function",
            item.meta.get("span"),
            help="leave out LATERAL, or write LATERAL (SELECT ...)",
        )
    alias = item.args.get("alias")
    item.set("alias", None)
    inner = item.this if isinstance(item, exp.Table) and isinstance(item.this, exp.Func) else item
    node = exp.Lateral(this=inner, view=False, outer=False, alias=alias)
    node.meta.update(item.meta)
    return node


def dress(
    node: exp.Expression, sample_: exp.TableSample | None, alias: exp.TableAlias | None
) -> exp.Expression:
    """A relation with what follows it."""
    if sample_ is not None:
        node.set("sample", sample_)
    if alias is not None:
        node.set("alias", alias)
    return node


def table(
    name: exp.Table,
    version: exp.Version | None,
    sample_: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`name TIMESTAMP AS OF ... TABLESAMPLE (...) AS alias`."""
    if version is not None:
        name.set("version", version)
    return dress(name, sample_, alias)


def derived_table(
    query: exp.Subquery, sample_: exp.TableSample | None, alias: exp.TableAlias | None
) -> exp.Expression:
    """`(query) AS alias`; `(VALUES ...) AS alias` is the values themselves."""
    inner = query
    while isinstance(inner.this, exp.Subquery):
        inner = inner.this
    values = inner.this
    if isinstance(values, exp.Values):
        named = values.args.get("alias") is not None
        if inner is query and not (named and (alias or sample_)):
            return dress(values, sample_, alias)
        if not named and inner is not query:
            for key, modifier in inner.args.items():
                if key != "this":
                    values.set(key, modifier)
            values.meta.update(inner.meta)
            inner.replace(values)
    return dress(query, sample_, alias)


def parenthesized_relation(
    inner: tuple[exp.Expression, list[exp.Join]],
    sample_: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`(a JOIN b)`: the joins hang on the first table."""
    first, joins = inner
    if joins:
        first.set("joins", joins)
    return dress(exp.Subquery(this=first), sample_, alias)


def values_rows(items: list[exp.Expression]) -> list[exp.Expression]:
    """The rows of VALUES: a bare value is a row of one."""
    rows: list[exp.Expression] = []
    for item in items:
        if isinstance(item, exp.Tuple):
            item.set("expressions", [_default_word(each) for each in item.expressions])
            rows.append(item)
            continue
        inner = item.this if isinstance(item, exp.Paren) else item
        row = exp.Tuple(expressions=[inner])
        row.meta.update(item.meta)
        rows.append(row)
    check_row_lengths(rows)
    return rows


def _default_word(item: exp.Expression) -> exp.Expression:
    is_word = isinstance(item, exp.Column) and not item.table and not item.this.args.get("quoted")
    if not is_word or item.name.upper() != "DEFAULT":
        return item
    return exp.Var(this=item.name)


def values_table(*parts: Any) -> exp.Values:
    """`VALUES ... AS t(a, b)` in FROM."""
    *items, alias = parts
    rows = values_rows(items)
    check_row_names(rows, alias)
    return exp.Values(expressions=rows, alias=alias)


def table_function(
    call_: exp.Expression,
    ordinality: str | None,
    sample_: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`range(10) AS t`."""
    if ordinality and not isinstance(call_, exp.Unnest):
        raise RefusalError(
            "TVF109",
            "WITH ORDINALITY stands behind UNNEST only",
            help="number the elements with posexplode",
        )
    if isinstance(call_, exp.Unnest):
        return _unnest(call_, ordinality, alias)
    if isinstance(call_, exp.Table):
        return dress(call_, sample_, alias)
    return dress(exp.Table(this=call_), sample_, alias)


def _unnest(
    node: exp.Unnest, ordinality: str | None, alias: exp.TableAlias | None
) -> exp.Expression:
    """`UNNEST(a) WITH ORDINALITY AS t(b, n)`: sqlglot keeps the number's name apart."""
    offset: Any = bool(ordinality)
    columns = alias.args.get("columns") if alias is not None else None
    if ordinality and columns and len(columns) > len(node.expressions):
        offset = columns[-1]
        assert alias is not None
        alias.set("columns", columns[:-1])
    node.set("alias", alias)
    node.set("offset", offset)
    return node


def lateral_view(outer: str | None, call_: exp.Expression, alias: exp.TableAlias) -> exp.Lateral:
    """`LATERAL VIEW OUTER explode(a) t AS b`."""
    return exp.Lateral(this=call_, view=True, outer=bool(outer), alias=alias)


def view_alias(name: exp.Identifier, columns: list[exp.Identifier] | None) -> exp.TableAlias:
    """The names of a lateral view and of its columns."""
    return exp.TableAlias(this=name, columns=columns or [])


def view_alias_bare(name: exp.Identifier, *columns: exp.Identifier) -> exp.TableAlias:
    """`t a, b` without AS."""
    return exp.TableAlias(this=name, columns=list(columns))


def view_columns_only(columns: list[exp.Identifier]) -> exp.TableAlias:
    """`AS a, b` without a name for the view."""
    return exp.TableAlias(columns=columns)


def view_columns(*names: exp.Identifier) -> list[exp.Identifier]:
    """The columns of a lateral view."""
    return list(names)


def table_argument(
    what: exp.Expression, partition: exp.Expression | None, order: exp.Ordered | None
) -> exp.Expression:
    """`TABLE (query)` among the arguments of a table function: to sqlglot a call of TABLE."""
    inner: exp.Expression = what
    if isinstance(what, exp.Table):
        inner = exp.Column(this=what.this, table=what.args.get("db"), db=what.args.get("catalog"))
    elif isinstance(what, exp.Subquery):
        inner = what.this
    node = exp.Anonymous(this="TABLE", expressions=[inner])
    last = order.this if order is not None else partition
    if last is not None and not isinstance(last, (exp.Paren, exp.Tuple)):
        node.meta["open_list"] = True  # a value that follows would be one more key
    return node


def table_partition(key: exp.Expression | None = None) -> exp.Expression | None:
    """`PARTITION BY a`, or WITH SINGLE PARTITION."""
    return key


def table_order(item: exp.Ordered) -> exp.Ordered:
    """`ORDER BY a`."""
    return item


RULES: tuple[Any, ...] = (
    derived_table,
    from_clause,
    lateral_relation,
    lateral_view,
    parenthesized_relation,
    relation,
    table,
    table_argument,
    table_function,
    table_order,
    table_partition,
    values_table,
    view_alias,
    view_alias_bare,
    view_columns,
    view_columns_only,
)
