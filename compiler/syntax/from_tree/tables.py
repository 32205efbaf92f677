"""How a table is read: an older state, its changes, a sample, with options."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax.from_tree.relations import dress
from compiler.syntax.nodes import ChangeFeed, TableWithOptions
from compiler.syntax.refusal import RefusalError


def table_with_options(
    name: exp.Table,
    version: exp.Version | None,
    options: tuple[str, list[exp.Expression]],
    sample_: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`name WITH (key = value) AS alias`."""
    if version is not None:
        name.set("version", version)
    return dress(TableWithOptions(this=name, options=options[1]), sample_, alias)


def change_feed(
    name: exp.Table,
    changes: dict[str, Any],
    options: tuple[str, list[exp.Expression]] | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`name CHANGES FROM VERSION 1 TO VERSION 5 AS alias`."""
    given = options[1] if options is not None else None
    return dress(ChangeFeed(this=name, **changes, options=given), None, alias)


def change_range(
    phrase: str, start: tuple[Any, str | None], _to: str | None, end: Any
) -> dict[str, Any]:
    """`CHANGES FROM VERSION 1 EXCLUSIVE TO VERSION 5`."""
    kind = phrase.split()[-1].removeprefix("SYSTEM_")
    for bound in (start, end):
        if bound is not None:
            (_check_version if kind == "VERSION" else _check_change_moment)(bound[0])
    return {
        "kind": "VERSION" if kind == "VERSION" else "TIMESTAMP",
        "start": start[0],
        "start_side": start[1],
        "end": end[0] if end is not None else None,
        "end_side": end[1] if end is not None else None,
    }


def _check_change_moment(value: exp.Expression) -> None:
    query = value.find(exp.Query)
    if query is not None:
        raise RefusalError(
            "TVF109",
            "the time of changes cannot come from a query",
            query.meta.get("span"),
            help="write a literal",
        )
    _check_moment(value)


def change_bound(value: exp.Expression, side: str | None) -> tuple[exp.Expression, str | None]:
    """`1 INCLUSIVE`."""
    return value, side


def _check_version(value: exp.Expression) -> None:
    if not isinstance(value, exp.Literal) or not (value.is_string or value.this.isdigit()):
        raise RefusalError(
            "TVF109",
            "the version of a table is a whole number or a string",
            value.meta.get("span"),
            help="write VERSION AS OF 3",
        )


def _check_moment(value: exp.Expression, *, of_rows: bool = False) -> None:
    """The state of a table is chosen before there are rows; `of_rows`: for each row by itself."""
    for node in value.walk(prune=lambda each: isinstance(each, exp.Query)):
        span = node.meta.get("span")
        # Without parentheses, CURRENT_DATE is a column that only the analysis knows better.
        bare = isinstance(node, (exp.CurrentDate, exp.CurrentTimestamp)) and (
            span is not None
            and span.end - span.start in (len("CURRENT_DATE"), len("CURRENT_TIMESTAMP"))
        )
        if bare or (isinstance(node, exp.Column) and not of_rows):
            raise RefusalError(
                "TVF109",
                "the time of a table cannot come from a column",
                span,
                help="write current_date() with its parentheses" if bare else "write a literal",
            )


def time_travel(*parts: Any) -> exp.Version:
    """`VERSION AS OF 3`, or in a join `FOR SYSTEM_TIME AS OF a.ts`: as of each row's time."""
    phrase, value = parts
    if "VERSION" in phrase:
        _check_version(value)
    else:
        _check_moment(value, of_rows=phrase.startswith("SYSTEM"))
    kind = "VERSION" if "VERSION" in phrase else "TIMESTAMP"
    if kind == "TIMESTAMP" and value.find(exp.Column):
        kind = "SYSTEM_TIME"
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
            "TVF109",
            "the percentage of a sample is a number",
            value.meta.get("span"),
            help="write TABLESAMPLE (10 PERCENT)",
        )
    if isinstance(value, exp.Neg) or not 0 <= float(number.name) <= 100:
        raise RefusalError(
            "TVF107", "a sample is between 0 and 100 percent", help="write TABLESAMPLE (10 PERCENT)"
        )
    return {"percent": value}


def sample_rows(value: exp.Expression) -> dict[str, exp.Expression | None]:
    """`5 ROWS`."""
    return {"size": value}


def sample_bucket(
    numerator: exp.Expression, denominator: exp.Expression
) -> dict[str, exp.Expression | None]:
    """`BUCKET 1 OUT OF 4`."""
    if not 0 <= float(numerator.name) <= float(denominator.name) or not float(denominator.name):
        raise RefusalError(
            "TVF107",
            "a sample takes as many buckets as there are, or fewer",
            help="write TABLESAMPLE (BUCKET 1 OUT OF 4)",
        )
    return {"bucket_numerator": numerator, "bucket_denominator": denominator}


RULES: tuple[Any, ...] = (
    change_bound,
    change_feed,
    change_range,
    repeatable,
    sample,
    sample_bucket,
    sample_percent,
    sample_rows,
    table_with_options,
    time_travel,
)
