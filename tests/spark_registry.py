"""Spark's own registry of functions as lines of text: grammar/spark_functions.txt.

    python tests/spark_registry.py

writes the file anew; a test asks whether it is what the installed Spark says. A line is a name, the
numbers of arguments that a call may have (`2+` is two or more), what it is (`scalar`, `aggregate`,
`window`, `table`), and for aggregates which modifiers it takes.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = Path(__file__).parent.parent / "grammar" / "spark_functions.txt"
MANY = 40
"""Spark answers to so many arguments which numbers are right, unless any number is."""

WRONG_NUMBER = ("WRONG_NUM_ARGS", "REQUIRED_PARAMETER_NOT_FOUND")


def registry(spark: SparkSession) -> str:
    """The whole file."""
    names = sorted(row[0] for row in spark.sql("SHOW FUNCTIONS").collect())
    return "".join(f"{line}\n" for line in lines(spark, [n for n in names if n.isidentifier()]))


def lines(spark: SparkSession, names: list[str]) -> Iterator[str]:
    """A line for each function that can be called by its name."""
    for name in names:
        kind = kind_of(spark, name)
        counts = [] if kind == "table" else counts_of(spark, name, kind)
        if kind != "table" and not counts:
            continue  # CASE and its like are no calls
        modifiers = modifiers_of(spark, name, counts) if kind == "aggregate" else []
        yield " ".join([name, shown(counts), kind, *modifiers])


def kind_of(spark: SparkSession, name: str) -> str:
    """What a function is, by its class and by what Spark says of it outside of its place."""
    text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION `{name}`").collect())
    if "expressions.aggregate" in text:
        return "aggregate"
    if "NOT_A_SCALAR_FUNCTION" in answer(spark, f"`{name}`()"):
        return "table"
    over = answer(spark, f"`{name}`() FILTER (WHERE true) OVER (ORDER BY 1)")
    alone = answer(spark, f"`{name}`()") + answer(spark, f"`{name}`(1)")
    return "window" if "WINDOW_FUNCTION_WITHOUT_OVER" in alone + over else "scalar"


def counts_of(spark: SparkSession, name: str, kind: str) -> list[int]:
    """The numbers of arguments that a call may have; MANY stands for any further number."""
    over = " OVER (ORDER BY 1)" if kind == "window" else ""

    def asked(count: int) -> str:
        return answer(spark, f"`{name}`({', '.join(['NULL'] * count)}){over}")

    told = re.search(r"requires \[?([\d, ]+)\]? parameters", asked(MANY))
    if told and told[1] != "0":
        return [int(each) for each in told[1].split(",")]
    few = [each for each in range(4) if not asked(each).startswith(refused(name))]
    return few if told or not few else [*few, MANY]


def refused(name: str) -> tuple[str, ...]:
    """How answers begin to a call that can never be right."""
    failed = f"[FAILED_FUNCTION_CALL] Failed preparing of the function `{name}`"
    return (*(f"[{each}" for each in WRONG_NUMBER), "[UNRESOLVED_ROUTINE", failed)


def modifiers_of(spark: SparkSession, name: str, counts: list[int]) -> list[str]:
    """Which modifiers an aggregate takes."""
    count = next((each for each in counts if each), 0)
    given = ", ".join(["NULL"] * count)
    calls = {
        "DISTINCT": f"`{name}`(DISTINCT {given})",
        "IGNORE_NULLS": f"`{name}`({given}) IGNORE NULLS",
        "WITHIN_GROUP": f"`{name}`({given}) WITHIN GROUP (ORDER BY 1)",
    }
    refusal = re.compile(r"UNSUPPORTED_SYNTAX|DISTINCT_UNSUPPORTED")
    return [each for each, call in calls.items() if not refusal.search(answer(spark, call))]


def answer(spark: SparkSession, call: str) -> str:
    """What Spark says of a call; nothing if it is right."""
    try:
        _ = spark.sql(f"SELECT {call}").schema
    except (PySparkException, Py4JError) as error:  # Spark's own assertions are the latter
        return str(error).replace("\n", " ")
    return ""


def shown(counts: list[int]) -> str:
    """`1`, `2,3` or `1+`."""
    if not counts:
        return "-"
    if MANY in counts:
        return f"{counts[0]}+"
    return ",".join(map(str, counts))


if __name__ == "__main__":
    session = SparkSession.builder.master("local[1]").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    logging.disable()  # each answer would be logged, with a traceback
    PLACE.write_text(registry(session), encoding="utf-8")
    session.stop()
