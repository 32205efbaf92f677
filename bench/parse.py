"""How long tvfc takes to parse, beside sqlglot on the same queries in the same run.

    python bench/parse.py [FILE.sql ...]

Without files it takes the corpus of the tests. Files hold queries that end in a semicolon at the
end of a line. Prints the ratio tvfc / sqlglot of the median query and of the total.
"""

from __future__ import annotations

import logging
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import sqlglot

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from compiler.diagnostics import CompileError  # noqa: E402 (after the path is set)
from compiler.syntax import parse_query  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 3


def main(arguments: list[str]) -> int:
    """Measure and print."""
    logging.disable(logging.WARNING)
    queries = [sql for sql in _queries(arguments) if _both_take(sql)]
    ratios, ours, theirs = [], 0.0, 0.0
    for sql in queries:
        our_time = min(_seconds(parse_query, sql) for _ in range(ROUNDS))
        their_time = min(_seconds(_sqlglot, sql) for _ in range(ROUNDS))
        ratios.append(our_time / their_time)
        ours += our_time
        theirs += their_time
    print(f"{len(queries)} queries, best of {ROUNDS} rounds each")
    scale = 1000 / len(queries)
    print(f"tvfc {ours * scale:.3f} ms a query, sqlglot {theirs * scale:.3f} ms")
    print(f"ratio: median {statistics.median(ratios):.2f}, total {ours / theirs:.2f}")
    return 0


def _queries(files: list[str]) -> list[str]:
    if not files:
        from syntax.corpora import placed_expressions, queries  # noqa: PLC0415 (only without files)

        return [*queries(), *placed_expressions()]
    texts = [Path(name).read_text(encoding="utf-8") for name in files]
    found = [query.strip() for text in texts for query in f"{text}\n".split(";\n")]
    return [query for query in found if query]


def _sqlglot(sql: str) -> object:
    return sqlglot.parse_one(sql, "spark")


def _both_take(sql: str) -> bool:
    try:
        parse_query(sql)
        _sqlglot(sql)
    except (CompileError, sqlglot.ParseError, sqlglot.TokenError):
        return False
    return True


def _seconds(parse: Callable[[str], object], sql: str) -> float:
    begin = time.perf_counter()
    parse(sql)
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
