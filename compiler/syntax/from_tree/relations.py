"""FROM: tables, subqueries, joins, samples, lateral views."""

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
        comma.meta.update(table_.meta)
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


def join(
    natural: str | None,
    kind: tuple[str | None, str | None] | None,
    lateral_: str | None,
    item: exp.Expression,
    criteria: tuple[str, Any] | None,
) -> exp.Join:
    """`[NATURAL] LEFT JOIN item ON ...`."""
    side, what = kind or (None, None)
    _check_criteria(natural, lateral_, criteria)
    _check_kind(natural, lateral_, side, what)
    if criteria is not None and item.args.get("pivots"):
        raise RefusalError(
            "TVF112",
            "what PIVOT or UNPIVOT gives has no join condition",
            item.args["pivots"][0].meta.get("span"),
            help="join a subquery: JOIN (SELECT * FROM b PIVOT (...)) AS p ON ...",
        )
    node = exp.Join(this=lateral(item) if lateral_ else item, method=natural, side=side, kind=what)
    if criteria is not None:
        node.set(*criteria)
    elif not natural and what in (None, "INNER", "OUTER"):
        node.set("on", exp.Boolean(this=True))
    return node


def _check_criteria(
    natural: str | None, lateral_: str | None, criteria: tuple[str, Any] | None
) -> None:
    if natural and criteria is not None:
        raise RefusalError(
            "TVF112",
            f"a NATURAL join has no {criteria[0].upper()}: it joins on all columns of one name",
            help="leave out NATURAL, or the condition",
        )
    if lateral_ and criteria is not None and criteria[0] == "using":
        raise RefusalError(
            "TVF112", "a LATERAL join has no USING", help="write the condition with ON"
        )


def _check_kind(
    natural: str | None, lateral_: str | None, side: str | None, kind: str | None
) -> None:
    if natural and (lateral_ or kind in ("CROSS", "SEMI", "ANTI")):
        other = "LATERAL" if lateral_ else kind
        raise RefusalError(
            "TVF112",
            f"a join is NATURAL or {other}, not both",
            help=f"leave out NATURAL or {other}",
        )
    if lateral_ and (side in ("RIGHT", "FULL") or kind in ("SEMI", "ANTI")):
        word = kind if kind in ("SEMI", "ANTI") else side
        raise RefusalError(
            "TVF112",
            f"a {word} join cannot be LATERAL",
            help="use INNER, CROSS or LEFT: the rows on the left come first",
        )


def join_type(*words: str | None) -> tuple[str | None, str | None]:
    """Side and kind, as sqlglot keeps them."""
    given = [word for word in words if word]
    side = given[0] if given[0] in ("LEFT", "RIGHT", "FULL") else None
    kind = given[-1] if given[-1] != side else None
    return side, kind


def join_on(condition: exp.Expression) -> tuple[str, exp.Expression]:
    """`ON condition`."""
    return "on", condition


def join_using(names: list[exp.Identifier]) -> tuple[str, list[exp.Identifier]]:
    """`USING (a, b)`."""
    return "using", names


def _dress(
    node: exp.Expression, sample_: exp.TableSample | None, alias: exp.TableAlias | None
) -> exp.Expression:
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
    return _dress(name, sample_, alias)


def derived_table(
    query: exp.Subquery, sample_: exp.TableSample | None, alias: exp.TableAlias | None
) -> exp.Expression:
    """`(query) AS alias`; `(VALUES ...) AS alias` is the values themselves."""
    if isinstance(query.this, exp.Values) and not query.this.args.get("alias"):
        return _dress(query.this, sample_, alias)
    return _dress(query, sample_, alias)


def parenthesized_relation(
    inner: tuple[exp.Expression, list[exp.Join]],
    sample_: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`(a JOIN b)`: the joins hang on the first table."""
    first, joins = inner
    if joins:
        first.set("joins", joins)
    return _dress(exp.Subquery(this=first), sample_, alias)


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
        return _dress(call_, sample_, alias)
    return _dress(exp.Table(this=call_), sample_, alias)


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


def _check_version(value: exp.Expression) -> None:
    if not isinstance(value, exp.Literal) or not (value.is_string or value.this.isdigit()):
        raise RefusalError(
            "TVF109",
            "the version of a table is a whole number or a string",
            value.meta.get("span"),
            help="write VERSION AS OF 3",
        )


def _check_moment(value: exp.Expression) -> None:
    """The state of a table is chosen before there are rows."""
    for node in value.walk(prune=lambda each: isinstance(each, exp.Query)):
        span = node.meta.get("span")
        # Without parentheses, CURRENT_DATE is a column that only the analysis knows better.
        bare = isinstance(node, (exp.CurrentDate, exp.CurrentTimestamp)) and (
            span is not None
            and span.end - span.start in (len("CURRENT_DATE"), len("CURRENT_TIMESTAMP"))
        )
        if bare or isinstance(node, exp.Column):
            raise RefusalError(
                "TVF109",
                "the time of a table cannot come from a column",
                span,
                help="write current_date() with its parentheses" if bare else "write a literal",
            )


def time_travel(*parts: Any) -> exp.Version:
    """`VERSION AS OF 3`."""
    phrase, value = parts
    if "VERSION" in phrase:
        _check_version(value)
    else:
        _check_moment(value)
    kind = "VERSION" if "VERSION" in phrase else "TIMESTAMP"
    return exp.Version(this=kind, expression=value, kind="AS OF")


def sample(
    method: str | None, size: dict[str, exp.Expression | None], seed: exp.Expression | None
) -> exp.TableSample:
    """`TABLESAMPLE (size) REPEATABLE (seed)`."""
    if method == "SYSTEM" and (seed is not None or "percent" not in size):
        raise RefusalError(
            "TVF109",
            "TABLESAMPLE SYSTEM takes percent, and no REPEATABLE",
            help="leave out SYSTEM",
        )
    chosen = exp.Var(this=method) if method else None
    return exp.TableSample(method=chosen, **size, seed=seed)


def repeatable(seed: exp.Expression) -> exp.Expression:
    """`REPEATABLE (seed)`."""
    return seed


def sample_percent(value: exp.Expression) -> dict[str, exp.Expression | None]:
    """`10 PERCENT`."""
    number = value.this if isinstance(value, exp.Neg) else value
    if not isinstance(number, exp.Literal):
        raise RefusalError(
            "TVF109", "the percentage of a sample is a number", value.meta.get("span")
        )
    if isinstance(value, exp.Neg) or not 0 <= float(number.name) <= 100:
        raise RefusalError("TVF107", "a sample is between 0 and 100 percent")
    return {"percent": value}


def sample_rows(value: exp.Expression) -> dict[str, exp.Expression | None]:
    """`5 ROWS`."""
    return {"size": value}


def sample_bucket(
    numerator: exp.Expression, denominator: exp.Expression
) -> dict[str, exp.Expression | None]:
    """`BUCKET 1 OUT OF 4`."""
    if not 0 <= float(numerator.name) <= float(denominator.name) or not float(denominator.name):
        raise RefusalError("TVF107", "a sample takes as many buckets as there are, or fewer")
    return {"bucket_numerator": numerator, "bucket_denominator": denominator}


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
    what: exp.Expression, _partition: Any, _order: exp.Ordered | None
) -> exp.Expression:
    """`TABLE (query)` among the arguments of a table function: to sqlglot a call of TABLE."""
    inner: exp.Expression = what
    if isinstance(what, exp.Table):
        inner = exp.Column(this=what.this, table=what.args.get("db"), db=what.args.get("catalog"))
    elif isinstance(what, exp.Subquery):
        inner = what.this
    return exp.Anonymous(this="TABLE", expressions=[inner])


def table_partition(key: exp.Expression | None = None) -> exp.Expression | None:
    """`PARTITION BY a`, or WITH SINGLE PARTITION."""
    return key


def table_order(item: exp.Ordered) -> exp.Ordered:
    """`ORDER BY a`."""
    return item


RULES: tuple[Any, ...] = (
    derived_table,
    from_clause,
    join,
    join_on,
    join_type,
    join_using,
    lateral_relation,
    lateral_view,
    parenthesized_relation,
    relation,
    repeatable,
    sample,
    sample_bucket,
    sample_percent,
    sample_rows,
    table,
    table_argument,
    table_function,
    table_order,
    table_partition,
    time_travel,
    values_table,
    view_alias,
    view_alias_bare,
    view_columns,
    view_columns_only,
)
