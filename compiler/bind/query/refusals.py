"""What the language has and this compiler does not do over streams yet, each with a way out."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.names.shapes import own_parts
from compiler.diagnostics import suggest
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.syntax import span_of
from compiler.syntax.nodes import TableWithOptions

_CLAUSES: dict[str, tuple[str, str]] = {
    "order": (
        "ORDER BY",
        "leave it out: final rows leave in order of time",
    ),
    "sort": ("SORT BY", "leave it out"),
    "cluster": ("CLUSTER BY", "leave it out"),
    "distribute": ("DISTRIBUTE BY", "leave it out"),
    "limit": (
        "LIMIT",
        "for the first rows of each window write `QUALIFY row_number() OVER (PARTITION BY "
        "window_start, window_end ORDER BY …) <= 3`; or leave EMIT ON WINDOW CLOSE out for the "
        "first rows so far, which change",
    ),
    "offset": ("OFFSET", "leave it out"),
    "version": ("time travel", "read the source as it is"),
    "sample": ("TABLESAMPLE", "filter with `rand() < 0.1`"),
    "operation_modifiers": ("this modifier", "leave it out"),
}

_TABLE_FUNCTIONS = ("TUMBLE", "HOP", "CUMULATE", "SESSION", "WATERMARK", "LATE")
_RELATIONS: dict[type[exp.Expression], tuple[str, str]] = {
    exp.Subquery: (
        "a join in parentheses",
        "write it as a query, `(SELECT … FROM a JOIN b ON …) AS ab`",
    ),
    exp.Lateral: (
        "LATERAL",
        "write it behind the relation that it reads, `FROM a, LATERAL (SELECT … WHERE b.id = a.id) "
        "AS b`",
    ),
}


def refuse_clauses(node: exp.Expression, problems: Problems, *, without_order: bool = True) -> None:
    """Clauses of a query or relation that cannot be cut in batches.

    Args:
        node: the query or relation.
        problems: takes the faults.
        without_order: whether ORDER BY is one of them.
    """
    for key, (what, advice) in _CLAUSES.items():
        value = node.args.get(key)
        if value and (key != "order" or without_order):
            place = value[0] if isinstance(value, list) else value
            _add(problems, place if isinstance(place, exp.Expression) else node, what, advice)


def refuse_pivot_of_join(node: exp.Expression, problems: Problems) -> None:
    """PIVOT behind a JOIN, of which Spark pivots the whole, as one may not think."""
    _add(
        problems,
        node.args["pivots"][0],
        "PIVOT or UNPIVOT behind a JOIN",
        "write the join as a query, `FROM (SELECT … FROM a JOIN b ON …) PIVOT (…)`; or pivot the "
        "one side in a query of its own",
    )


def refuse_pivot_of_table(pivot: exp.Expression, problems: Problems) -> None:
    """PIVOT of a table beside a stream: Spark pivots it, in a query of its own."""
    problems.add(
        "TVF501",
        "PIVOT or UNPIVOT of a table in the FROM of a stream is not supported",
        span_of(pivot),
        "is of a table",
        advice="write it as a query, `(SELECT * FROM t PIVOT (…)) AS t`",
    )


def refuse_final_limit(node: exp.Expression, problems: Problems) -> None:
    """LIMIT of final rows, of which those that have come stay."""
    limit = node.args["limit"]
    problems.add(
        "TVF312",
        "LIMIT under EMIT ON WINDOW CLOSE",
        span_of(limit) if span_of(limit).end else span_of(node),
        "the first rows of all that will ever come, and then no more",
        notes=["it is of the whole result, of which rows leave window by window"],
        advice=_CLAUSES["limit"][1],
    )


def refuse_windows(node: exp.Select, problems: Problems) -> None:
    """Window functions whose results would change, or stand beside groups."""
    grouped = node.args.get("group") or node.args.get("distinct")
    what, advice = _BESIDE_GROUPS if grouped else _ELSEWHERE
    for window in own_parts(node, exp.Window):
        _add(problems, window, what, advice)


def refuse_lone_qualify(
    node: exp.Select, windows: Sequence[exp.Window], problems: Problems
) -> None:
    """QUALIFY in a SELECT without window functions, which has no meaning to Spark, either."""
    qualify = node.args.get("qualify")
    if qualify is not None and not windows:
        _add(
            problems,
            qualify,
            "QUALIFY without a window function in its SELECT list or its condition",
            "write the condition into WHERE, in a query around this one if it is on its result",
        )


_BESIDE_GROUPS = (
    "a window function beside GROUP BY or DISTINCT",
    "group in a subquery, and use the window function in the query around it",
)
_ELSEWHERE = (
    "a window function outside of the SELECT list and QUALIFY",
    "select it in a subquery, and compare its column in the query around that",
)


def refuse_query(node: exp.Expression, problems: Problems) -> None:
    """A query that is neither SELECT nor UNION ALL."""
    _add(problems, node, "this form of query", "write a SELECT")


def refuse_groups_of_nothing(node: exp.Expression, problems: Problems) -> None:
    """Groups where there is no FROM, though a subquery elsewhere reads a stream."""
    _add(problems, node, "grouping without FROM", "name the relation whose rows are grouped")


def refuse_relation(node: exp.Expression, problems: Problems) -> None:
    """A relation in FROM that is not a name or a subquery."""
    if isinstance(node, TableWithOptions):
        problems.add(
            "TVF501",
            "options of a relation in FROM are not supported",
            span_of(node),
            "WITH (…) behind a name",
            advice="write options where it is declared; those of a sink stand before its query: "
            "`CREATE SINK name USING parquet OPTIONS (…) AS SELECT …`",
        )
        return
    name = node.this.name if isinstance(node, exp.Table) and node.this else ""
    is_flinks = name.upper() == "TABLE"
    near = suggest(name, _TABLE_FUNCTIONS) if name else None
    if is_flinks or near is not None:
        problems.add(
            "TVF201",
            f"there is no table function `{name}`",
            span_of(node),
            "unknown",
            advice="write what stands in its parentheses"
            if is_flinks
            else f"did you mean `{near}`?",
        )
        return
    what, advice = _RELATIONS.get(
        type(node), ("this relation", "name a source, table, view or subquery")
    )
    _add(problems, node, what, advice)


def _add(problems: Problems, node: exp.Expression, what: str, advice: str) -> None:
    problems.add(
        "TVF501",
        f"{what} over a stream is not supported yet",
        span_of(node),
        "not supported",
        advice=advice,
    )


def refuse_star_of_nothing(star: exp.Expression, problems: Problems) -> None:
    """A star in a SELECT without FROM, whose one row has no columns."""
    problems.add(
        "TVF201",
        "there are no columns for `*` in a SELECT without FROM",
        span_of(star),
        "stands for the columns of FROM",
        advice="name what it reads in FROM, or select values: `SELECT 1 AS one`",
    )


def refuse_unknown(node: exp.Table, names: list[str], problems: Problems) -> None:
    """A relation that is none of the declared ones."""
    word, taken = node.name.upper(), node.alias
    if word in _TABLE_FUNCTIONS and taken:
        more = {"LATE": "", "WATERMARK": ", ts, ts - INTERVAL 1 MINUTE"}.get(word, ", ts, …")
        problems.add(
            "TVF201",
            f"{word} takes its relation in parentheses",
            span_of(node),
            f"read as a relation `{node.name}`, called `{taken}`",
            advice=f"write {word}({taken}{more})",
        )
        return
    problems.add(
        "TVF201",
        f"there is no source, table or view `{node.sql('spark')}`",
        span_of(node),
        "not declared before this place",
        notes=[f"declared are {listed(names)}"] if names else [],
        advice=did_you_mean(node.name, names)
        or f"declare it: `CREATE SOURCE {node.name} (id BIGINT, ts TIMESTAMP) USING …`",
    )
