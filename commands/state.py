"""`tvfc state`: the rows that a job holds, as a relation, beside the job or after it.

Spark reads the state, and nothing writes to the checkpoint.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from commands.local_spark import INSPECTION, local_session, require_java
from commands.status import queries_in
from compiler.escapes import visible

if TYPE_CHECKING:
    import pyarrow as pa

    from commands.inside.relation import HeldRows
    from tvfc_runtime.reports.query_status import QueryStatus

SHOWN_ROWS = 20


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("--sql", metavar="QUERY", help="A query in DuckDB's SQL over the relation `state`.")
@click.option("--as-of", type=int, metavar="BATCH", help="As it was after a batch.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="How to print it.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="ROWS",
    help=f"Of each operator, those that are due first  [default: {SHOWN_ROWS} as text, else all]",
)
def command(folder: str, sql: str | None, as_of: int | None, form: str, limit: int | None) -> None:
    """Show the rows that the job with the checkpoint DIR holds."""
    queries = queries_of(folder)
    if sql is not None:
        _need_duckdb()
    most = SHOWN_ROWS if limit is None and form == "text" and sql is None else limit
    found = [(each, *held_by(each, as_of)) for each in queries]
    if sql is not None:
        _, parts, _ = _only(found)
        _print(_asked(sql, parts, limit), form)
    elif form == "text":
        click.echo("\n\n".join(_text(*each, most) for each in found))
    else:
        _print(_relation([part for _, parts, _ in found for part in parts], most), form)


def queries_of(folder: str) -> list[QueryStatus]:
    """The queries of a checkpoint that can be looked into.

    Raises:
        ClickException: it is no checkpoint, or a damaged one.
    """
    found, damaged = queries_in(folder)
    if damaged:
        raise click.ClickException("\n".join(damaged))
    return found


def held_by(query: QueryStatus, as_of: int | None = None) -> tuple[list[HeldRows], int]:
    """What a query holds, and after which batch that was.

    Raises:
        ClickException: it cannot be read.
    """
    require_java()
    # PySpark is imported only once Java is known to be there.
    from commands.inside.relation import held_rows  # noqa: PLC0415
    from commands.inside.state_store import StateError, newest_batch  # noqa: PLC0415

    spark = local_session("tvfc state", "local[1]", INSPECTION)
    try:
        batch = newest_batch(query.place) if as_of is None else as_of
        return held_rows(spark, query.place, batch), batch
    except StateError as error:
        raise click.ClickException(visible(str(error))) from None


def _only(
    found: list[tuple[QueryStatus, list[HeldRows], int]],
) -> tuple[QueryStatus, list[HeldRows], int]:
    if len(found) > 1:
        places = ", ".join(visible(query.place) for query, _, _ in found)
        raise click.ClickException(f"the job has several queries: name the one to ask, of {places}")
    return found[0]


def _text(query: QueryStatus, parts: list[HeldRows], batch: int, most: int | None) -> str:
    from commands.inside.relation import first_of  # noqa: PLC0415
    from commands.inside.shown import as_lines  # noqa: PLC0415

    rows = sum(each.rows.num_rows for each in parts)
    count = f"{rows:,} {'row' if rows == 1 else 'rows'}"
    lines = [visible(f"{query.place} after batch {batch}: {count}")]
    shown = parts if most is None else first_of(parts, most)
    for whole, part in zip(parts, shown, strict=True):
        number = whole.rows.num_rows
        some = "" if part.rows.num_rows == number else f", the first {part.rows.num_rows:,}"
        lines += [visible(f"{whole.title}: {number:,} {'row' if number == 1 else 'rows'}{some}")]
        lines += [f"  {line}" for line in as_lines(part.rows)]
    return "\n".join(lines)


def _relation(parts: list[HeldRows], most: int | None) -> pa.Table:
    from commands.inside.relation import first_of, one_relation  # noqa: PLC0415

    return one_relation(parts if most is None else first_of(parts, most))


def _need_duckdb() -> None:
    try:
        import duckdb  # noqa: F401, PLC0415
    except ImportError:
        raise click.ClickException(
            "--sql needs DuckDB: pip install 'tvfc[state]', or pip install duckdb"
        ) from None


def _asked(sql: str, parts: list[HeldRows], most: int | None) -> pa.Table:
    """The answer of DuckDB, which reads and writes nothing else."""
    import duckdb  # noqa: PLC0415

    from commands.inside.relation import in_utc  # noqa: PLC0415

    with duckdb.connect(config={"enable_external_access": "false"}) as connection:
        connection.register("state", in_utc(_relation(parts, None)))
        try:
            asked = [each.type for each in connection.extract_statements(sql)]
            if asked != [duckdb.StatementType.SELECT]:
                raise click.ClickException("--sql is to be a query, such as SELECT * FROM state")
            found = connection.sql(sql)
            return (found if most is None else found.limit(most)).to_arrow_table()
        except duckdb.Error as error:
            raise click.ClickException(f"--sql: {visible(str(error).strip())}") from None


def _print(table: pa.Table, form: str) -> None:
    from commands.inside.shown import as_csv, as_lines, as_objects  # noqa: PLC0415

    if form == "json":
        click.echo(json.dumps(as_objects(table), indent=1, ensure_ascii=True))
    elif form == "csv":
        click.echo(as_csv(table), nl=False)
    else:
        click.echo("\n".join(as_lines(table)))
