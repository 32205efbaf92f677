"""Codes of MATCH_RECOGNIZE, of several hundreds."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_TICKS = """CREATE SOURCE ticks (k STRING, ts TIMESTAMP, price DOUBLE, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'ticks');
"""


def _query(clauses: str) -> str:
    return f"{_TICKS}SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts {clauses});"


MATCH_CODES: tuple[Code, ...] = (
    Code(
        code="TVF119",
        title="a MATCH_RECOGNIZE that is none",
        explanation=(
            "MATCH_RECOGNIZE needs a PATTERN; each clause stands once, and SUBSET, DEFINE and AFTER\n"
            "MATCH SKIP name variables of the pattern. Bounds of a quantifier are whole numbers, the\n"
            "lesser one first."
        ),
        failing=_query("MEASURES a.ts AS since PATTERN (a b{5,2}) WITHIN INTERVAL 1 HOUR"),
        mended=_query("MEASURES a.ts AS since PATTERN (a b{2,5}) WITHIN INTERVAL 1 HOUR"),
    ),
    Code(
        code="TVF327",
        title="a match after which there may be no next one",
        explanation=(
            "AFTER MATCH SKIP TO goes on at a row of a variable. There must be one in every match, and\n"
            "it must not be its first row: there the same match would be found again, for ever. SQL\n"
            "has the query fail when that happens; a job must not."
        ),
        failing=_query(
            "MEASURES a.ts AS since AFTER MATCH SKIP TO LAST b PATTERN (a b*) WITHIN INTERVAL 1 HOUR "
            "DEFINE b AS b.price > a.price"
        ),
        mended=_query(
            "MEASURES a.ts AS since AFTER MATCH SKIP TO LAST b PATTERN (a b+) WITHIN INTERVAL 1 HOUR "
            "DEFINE b AS b.price > a.price"
        ),
    ),
    Code(
        code="TVF510",
        title="a part of MATCH_RECOGNIZE that is not supported",
        explanation=(
            "Whatever reads one row is computed by Spark. Of values of several rows conditions have\n"
            "comparisons, + - * /, AND, OR, NOT, IS NULL, BETWEEN, IN, CASE with ELSE, COALESCE and ABS;\n"
            "the aggregates are COUNT, SUM, AVG, MIN and MAX."
        ),
        failing=_query(
            "MEASURES a.ts AS since PATTERN (a b) DEFINE b AS round(b.price - a.price) > 10"
        ),
        mended=_query(
            "MEASURES a.ts AS since PATTERN (a b) DEFINE b AS round(b.price) - round(a.price) > 10"
        ),
    ),
    Code(
        code="TVF718",
        title="types that conditions of MATCH_RECOGNIZE do not compute with",
        explanation=(
            "Spark knows the types of all columns when a job starts. Values of several rows are\n"
            "compared and computed with if they are whole numbers, DECIMAL, DOUBLE, STRING, BOOLEAN,\n"
            "times or day-time intervals, and both of one kind. CAST others in a condition that reads\n"
            "one row."
        ),
        failing="-- DEFINE b AS b.f > a.f, with a column f FLOAT",
        mended="-- DEFINE b AS CAST(b.f AS DOUBLE) > CAST(a.f AS DOUBLE)",
    ),
    Code(
        code="TVF719",
        title="a pattern with too many ways",
        explanation=(
            "Where conditions read the rows that other variables have taken, every way to cut rows\n"
            "into variables may have to be tried. A job that would take for ever stops instead;\n"
            "its checkpoint stays as it was before the batch."
        ),
        failing="-- PATTERN ((a | a a+)+ b) DEFINE b AS b.x > a.x, over thousands of rows of a key",
        mended="-- PATTERN (a+ b) WITHIN INTERVAL 1 MINUTE DEFINE b AS b.x > PREV(b.x)",
    ),
    Code(
        code="TVF720",
        title="a number that overflows in MATCH_RECOGNIZE",
        explanation=(
            "A sum, product or quotient of values of several rows is too large for its type, or has\n"
            "zero for a divisor. Spark ends the job then, and so does this."
        ),
        failing="-- DEFINE b AS b.n * a.n > 100, of INT columns",
        mended="-- DEFINE b AS CAST(b.n AS BIGINT) * CAST(a.n AS BIGINT) > 100",
    ),
)
