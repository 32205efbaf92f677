"""Queries: SELECT with its clauses, set operations, WITH, VALUES, and what follows a query."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.diagnostics.diagnostic import Label
from compiler.source import Span
from compiler.syntax.from_tree.checks import check_distinct_names, check_row_names
from compiler.syntax.from_tree.relations import values_rows
from compiler.syntax.nodes import EmitChanges, EmitOnWindowClose
from compiler.syntax.nodes.spans import set_span, span_of
from compiler.syntax.refusal import RefusalError

# Class of a clause -> (place in the order, key of the node, how it is written).
_CLAUSES: dict[type, tuple[int, str, str]] = {
    exp.From: (0, "from_", "FROM"),
    exp.Lateral: (1, "laterals", "LATERAL VIEW"),
    exp.Where: (2, "where", "WHERE"),
    exp.Group: (3, "group", "GROUP BY"),
    exp.Having: (4, "having", "HAVING"),
    exp.Qualify: (5, "qualify", "QUALIFY"),
    list: (5, "windows", "WINDOW"),
}
_MODIFIERS: dict[type, tuple[int, str, str]] = {
    exp.Order: (0, "order", "ORDER BY"),
    exp.Cluster: (1, "cluster", "CLUSTER BY"),
    exp.Distribute: (2, "distribute", "DISTRIBUTE BY"),
    exp.Sort: (3, "sort", "SORT BY"),
    list: (4, "windows", "WINDOW"),
    exp.Limit: (5, "limit", "LIMIT"),
    exp.Offset: (6, "offset", "OFFSET"),
    EmitOnWindowClose: (7, "emit", "EMIT ON WINDOW CLOSE"),
    EmitChanges: (7, "emit", "EMIT CHANGES"),
}


def _in_order(
    clauses: tuple[Any, ...], known: dict[type, tuple[int, str, str]]
) -> list[tuple[str, Any]]:
    """The clauses by key; a clause twice or out of order is refused."""
    result: list[tuple[str, Any]] = []
    given: set[str] = set()
    last_place, last_name, last = -1, "", None
    for clause in clauses:
        place, key, name = known[type(clause)]
        if place < last_place:
            raise RefusalError(
                "TVF104",
                f"{name} must come before {last_name}",
                _keyword_span(clause, name),
                others=(Label(_keyword_span(last, last_name), "", primary=False),),
                help=f"move {name} in front of {last_name}",
            )
        if key in given and key != "laterals":
            raise RefusalError(
                "TVF104",
                f"a query has only one {name}",
                _keyword_span(clause, name),
                others=(Label(_keyword_span(last, name), "", primary=False),),
                help="join the conditions with AND"
                if name in ("WHERE", "HAVING")
                else "leave one of them out",
            )
        given.add(key)
        last_place, last_name, last = place, name, clause
        result.append((key, clause))
    return result


def _keyword_span(clause: Any, name: str) -> Span:
    """Where the keyword of a clause stands."""
    span = _span(clause)
    if not isinstance(span, Span):
        return Span(0, 0)
    return Span(span.start, min(span.end, span.start + len(name)))


def _span(clause: Any) -> Any:
    if isinstance(clause, exp.Expression):
        return clause.meta.get("span")
    return clause[0].meta.get("span")


def select(
    hints: exp.Hint | None,
    distinct: exp.Distinct | None,
    items: list[exp.Expression],
    *clauses: Any,
) -> exp.Select:
    """`SELECT items FROM ... WHERE ...`."""
    node = exp.Select(
        hint=hints,
        distinct=distinct,
        expressions=items,
    )
    for key, value in _in_order(clauses, _CLAUSES):
        if key == "from_":
            _put_from(node, value)
        elif key == "laterals":
            node.append("laterals", value)
        else:
            node.set(key, value)
    return node


def select_transform(transform: exp.QueryTransform, *clauses: Any) -> exp.Select:
    """`SELECT TRANSFORM (a, b) USING 'script' FROM ...`, `MAP a, b USING 'script' FROM ...`."""
    return select(None, None, [transform], *clauses)


def _put_from(node: exp.Select, source: exp.From) -> None:
    joins = source.meta.pop("joins")
    node.set("from_", source)
    if joins:
        node.set("joins", joins)


def _put_from_first(node: exp.Select, source: exp.From) -> None:
    """The joins of a leading FROM hang on its first table in sqlglot's tree."""
    joins = source.meta.pop("joins")
    if joins:
        source.this.set("joins", joins)
    node.set("from_", source)


def quantifier(word: str) -> exp.Distinct | None:
    """SELECT DISTINCT; ALL says nothing."""
    return exp.Distinct() if word == "DISTINCT" else None


def select_items(*items: exp.Expression) -> list[exp.Expression]:
    """The SELECT list."""
    return list(items)


def hint_comments(*hints: exp.Hint) -> exp.Hint | None:
    """The hints behind SELECT, as one."""
    if not hints:
        return None
    first, *rest = hints
    for other in rest:
        first.set("expressions", [*first.expressions, *other.expressions])
    return first


def from_first(source: exp.From, *parts: Any) -> exp.Select:
    """`FROM t SELECT a`."""
    *laterals, query = parts
    if query.args.get("from_") is not None:
        raise RefusalError("TVF104", "a query has only one FROM", _span(query.args["from_"]))
    _put_from_first(query, source)
    if laterals:
        query.set("laterals", [*laterals, *(query.args.get("laterals") or [])])
    result: exp.Select = query
    return result


def from_alone(source: exp.From, *laterals: exp.Lateral) -> exp.Select:
    """`FROM t`: all of it."""
    node = exp.Select(expressions=[exp.Star()])
    _put_from_first(node, source)
    if laterals:
        node.set("laterals", list(laterals))
    return node


def values_query(*parts: Any) -> exp.Values:
    """`VALUES (1, 2), (3, 4) AS t(a, b)`."""
    *items, alias = parts
    rows = values_rows(items)
    check_row_names(rows, alias)
    return exp.Values(expressions=rows, alias=alias)


def table_query(name: exp.Table) -> exp.Select:
    """`TABLE t` is `SELECT * FROM t`."""
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=name))


def subquery(query: exp.Expression) -> exp.Subquery:
    """A query in parentheses."""
    return exp.Subquery(this=query)


def as_operand(query: exp.Expression) -> exp.Expression:
    """Sqlglot turns VALUES, where a query must stand, into a SELECT from them."""
    if not isinstance(query, exp.Values):
        return query
    span = query.meta.get("span")
    alias = query.args.get("alias")
    if alias is None:
        query.set("alias", exp.TableAlias(this=exp.Identifier(this="_values", quoted=False)))
    node = exp.Select(expressions=[exp.Star()], from_=exp.From(this=query))
    if span is not None:
        set_span(node, span)
        set_span(query, span)
    return node


def intersection(
    left: exp.Expression, _operator: str, quantifier: str | None, right: exp.Expression
) -> exp.Intersect:
    """`left INTERSECT right`."""
    return exp.Intersect(
        this=as_operand(left), distinct=quantifier != "ALL", expression=as_operand(right)
    )


_SET_OPERATIONS = {"UNION": exp.Union, "EXCEPT": exp.Except, "MINUS": exp.Except}


def union(
    left: exp.Expression, operator: str, quantifier: str | None, right: exp.Expression
) -> exp.SetOperation:
    """`left UNION right`; an INTERSECT on the right keeps its grouping by parentheses."""
    right = as_operand(right)
    if isinstance(right, exp.Intersect):
        span = right.meta.get("span")
        right = exp.Subquery(this=right)
        right.meta["span"] = span
    return _SET_OPERATIONS[operator](
        this=as_operand(left), distinct=quantifier != "ALL", expression=right
    )


def modified_query(query: exp.Expression, *modifiers: Any) -> exp.Expression:
    """A query and its ORDER BY, LIMIT and so on."""
    ordered = _in_order(modifiers, _MODIFIERS)
    check_partitioning(ordered)
    for key, value in ordered:
        if key == "windows" and query.args.get("windows"):
            raise RefusalError(
                "TVF104",
                "a query has only one WINDOW",
                _span(value),
                help="name all windows behind one WINDOW: WINDOW v AS (...), w AS (...)",
            )
        query.set(key, value)
    return query


def check_partitioning(clauses: list[tuple[str, Any]]) -> None:
    """ORDER BY sorts everything, CLUSTER BY, and SORT BY with DISTRIBUTE BY, within partitions."""
    names = {key: name for _, key, name in _MODIFIERS.values()}
    for first, others in (
        ("order", ("cluster", "distribute", "sort")),
        ("cluster", ("distribute", "sort")),
    ):
        present = [key for key, _ in clauses]
        for other in others:
            if first in present and other in present:
                raise RefusalError(
                    "TVF104",
                    f"{names[first]} and {names[other]} exclude each other",
                    _span(dict(clauses)[other]),
                    help=f"keep {names[first]}, or {names[other]}",
                )


def query_with(with_: exp.With, query: exp.Expression, *modifiers: Any) -> exp.Expression:
    """`WITH a AS (...) query`."""
    if not modifiers:
        query = _unwrapped(query)
    query = as_operand(query)
    modified_query(query, *modifiers)
    inner = query.args.get("with_")
    if inner is not None:
        with_.set("expressions", [*with_.expressions, *inner.expressions])
        with_.set("recursive", with_.args["recursive"] or inner.args["recursive"])
        with_.meta["span"] = span_of(with_).cover(span_of(inner))
    query.set("with_", with_)
    return query


def _unwrapped(query: exp.Expression) -> exp.Expression:
    """A query in parentheses and nothing more takes the WITH itself."""
    while isinstance(query, exp.Subquery) and query.is_wrapper:
        query = query.this
    query.parent = query.arg_key = None
    return query


def with_clause(recursive: str | None, *tables: exp.CTE) -> exp.With:
    """`WITH [RECURSIVE] a AS (...), b AS (...)`."""
    check_distinct_names([table.args["alias"] for table in tables], "common tables")
    for table in tables:
        limit = table.meta.pop("max_recursion", None)
        if limit is not None and not recursive:
            raise RefusalError(
                "TVF109",
                "MAX RECURSION LEVEL belongs to WITH RECURSIVE",
                limit.meta.get("span"),
                help="write WITH RECURSIVE, or leave out the limit",
            )
    return exp.With(expressions=list(tables), recursive=bool(recursive))


def named_columns(name: exp.Identifier, columns: list[exp.Identifier]) -> exp.TableAlias:
    """`name (columns)`."""
    return exp.TableAlias(this=name, columns=columns)


def common_table(
    name: exp.Identifier | exp.TableAlias, limit: exp.Expression | None, query: exp.Subquery
) -> exp.CTE:
    """`name (columns) AS (query)`."""
    alias = name if isinstance(name, exp.TableAlias) else exp.TableAlias(this=name, columns=[])
    node = exp.CTE(this=as_operand(query.this), alias=alias)
    if limit is not None:
        node.meta["max_recursion"] = limit
    return node


def max_recursion(limit: exp.Expression) -> exp.Expression:
    """`MAX RECURSION LEVEL n`."""
    return limit


RULES: tuple[Any, ...] = (
    common_table,
    from_alone,
    from_first,
    hint_comments,
    intersection,
    max_recursion,
    modified_query,
    named_columns,
    quantifier,
    query_with,
    select,
    select_items,
    select_transform,
    subquery,
    table_query,
    union,
    values_query,
    with_clause,
)
