"""The queries of corpus/, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_CORPUS = Path(__file__).parent / "corpus"

# Where an expression of the corpus is put; `@` stands for it.
_PLACES = (
    "SELECT @ FROM t",
    "SELECT @ AS value, @ other FROM t AS u WHERE (@) IS NOT NULL",
    "WITH w AS (SELECT @ FROM t) SELECT f(@, 1) FROM w ORDER BY (@) DESC",
    "SELECT CASE WHEN @ THEN @ ELSE (@) END FROM t GROUP BY (@), 2 HAVING NOT (@)",
    "SELECT * FROM t JOIN u ON (@) = 1 AND t.id = u.id WHERE x IN ((@), 2)",
)


def _lines(name: str) -> list[str]:
    lines = (_CORPUS / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("-- ")]


@cache
def expressions() -> tuple[str, ...]:
    """One expression each."""
    return tuple(_lines("expressions.sql"))


@cache
def queries() -> tuple[str, ...]:
    """Spark queries, one each."""
    names = ("queries.sql", "tpch_shapes.sql", "tpcds_shapes.sql")
    texts = ("\n".join(_lines(name)) for name in names)
    # A query ends in a semicolon at the end of a line.
    found = [query.strip() for text in texts for query in f"{text}\n".split(";\n")]
    return tuple(query for query in found if query)


@cache
def placed_expressions() -> tuple[str, ...]:
    """Every expression of the corpus in several places of a query."""
    return tuple(place.replace("@", each) for each in expressions() for place in _PLACES)


@cache
def scripts() -> tuple[str, ...]:
    """Scripts in our own syntax."""
    text = "\n".join(_lines("extensions.sql"))
    return tuple(script.strip() for script in text.split("------") if script.strip())
