"""The lists of words that decide between keyword and name, in one place.

All keywords stand in grammar/*.lark; here are those that need more than their place in it.
"""

from __future__ import annotations

from functools import cache

from compiler.syntax.grammar.tables import load_tables
from compiler.syntax.tokens.lexer import END
from compiler.syntax.tokens.words import words

# Never a bare name, though Spark allows some: errors would be found far from where they are made.
RESERVED = frozenset(
    words(
        "AND AS BETWEEN CASE ELSE FROM GROUP_BY HAVING IN INTERSECT IS JOIN NOT ON OR ORDER_BY "
        "SELECT THEN UNION USING WHEN WHERE WITH"
    )
)

QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE"})
JOIN_WORDS = frozenset(words("NATURAL INNER CROSS LEFT RIGHT FULL OUTER SEMI ANTI"))
TYPED_LITERALS = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME", "X"})
UNITS = frozenset(
    unit + plural
    for unit in words(
        "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND"
    )
    for plural in ("", "S")
)
# A word after one of these can only be the name of a type.
BEFORE_TYPE = frozenset({"AS", "::", "ARRAY_<", "MAP_<", "STRUCT_<", ",", ":", "NAME"})
NAMES = frozenset({"NAME", "QUOTED_NAME"})
# A word before one of these is a name, whatever else it could be.
AFTER_NAME = frozenset({",", ")", ".", "=", "<", ">", "AS", "FROM", ";", END, "]"})
# Spark's words that would hide a join that follows: no table may be called so.
NO_TABLE_NAME = frozenset(
    words(
        "ANTI CROSS EXCEPT FULL INNER INTERSECT JOIN LATERAL LEFT MINUS NATURAL ON RIGHT SEMI "
        "UNION USING"
    )
)


@cache
def word_types() -> frozenset[str]:
    """Every word of the grammar, also those that only begin or continue a phrase."""
    tables = load_tables()
    found = set(tables.words)
    for first, choices in tables.phrases.items():
        found.add(first)
        found.update(word for rest, _ in choices for word in rest if word.isalpha())
    return frozenset(found)
