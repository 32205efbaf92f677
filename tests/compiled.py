"""Short ways to compile a query in a test and to look at one side of the result."""

from __future__ import annotations

from dataclasses import dataclass

from compiler import CompileError, Job, compile_script
from compiler.diagnostics import Diagnostic
from compiler.source import SourceText

ORDERS = """CREATE SOURCE orders (
  id BIGINT, name STRING, a BOOLEAN, b BOOLEAN, price DECIMAL(10, 2), ts TIMESTAMP, day DATE,
  place STRUCT<lat: DOUBLE, at: TIMESTAMP, seen: STRUCT<at: BIGINT>>, tags ARRAY<INT>,
  WATERMARK FOR ts AS ts
) USING parquet OPTIONS (path 'orders');
"""
ITEMS = """CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE)
USING parquet OPTIONS (path 'items');
"""


@dataclass(frozen=True)
class Fault:
    """An error or warning: its code, and the text that its first label marks."""

    code: str
    at: str


def job_of(query: str, declared: str = ORDERS + ITEMS) -> Job:
    return compile_script(SourceText("query.sql", declared + query))


def plan_of(query: str, declared: str = ORDERS + ITEMS) -> list[str]:
    """The lines of the (last) plan, from the node below its title to the sources."""
    text = job_of(query, declared).stages["plan"]
    last = text.split("\n\n")[-1]
    return [line.strip() for line in last.split("properties")[0].splitlines()[1:]]


def columns_of(query: str, declared: str = ORDERS + ITEMS) -> str:
    """The SELECT list of the outermost projection."""
    return plan_of(query, declared)[0].removeprefix("Project ")


def release_of(condition: str, declared: str = ORDERS + ITEMS) -> list[tuple[str, str]]:
    """(guard, release at) of each branch of `WHERE condition`."""
    text = job_of(f"SELECT id FROM orders WHERE {condition};", declared).stages["release"]
    table = text.split("\n\n")[0].splitlines()
    header = table[1]
    guard, release, retract = (
        header.index(title) for title in ("guard", "release at", "retract at")
    )
    return [(row[guard:release].strip(), row[release:retract].strip()) for row in table[2:]]


def diagnostics_of(query: str, declared: str = ORDERS + ITEMS) -> tuple[Diagnostic, ...]:
    """The errors of a query, or its warnings if it compiles."""
    try:
        return job_of(query, declared).warnings
    except CompileError as error:
        return error.diagnostics


def faults_of(query: str, declared: str = ORDERS + ITEMS) -> list[Fault]:
    """What `diagnostics_of` finds, with the text at fault."""
    source = SourceText("query.sql", declared + query)
    return [
        Fault(each.code, source.slice(each.labels[0].span))
        for each in diagnostics_of(query, declared)
    ]
