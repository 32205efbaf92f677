"""Where our tree and sqlglot's differ on purpose: the query, and why ours stands.

In each of these Spark's own parser agrees with us, as its plan shows, or the query is ours alone.
`test_corpus.py` keeps the list honest: each entry must still differ.
"""

from __future__ import annotations

import re

KNOWN_DIFFERENCES: tuple[tuple[str, str], ...] = (
    ("SELECT a FROM t GROUP BY all, b", "sqlglot reads GROUP BY ALL; Spark a column `all`"),
    ("SELECT 'it''s'", "sqlglot joins two strings; to Spark a quote twice is one quote"),
    (
        "SELECT id FROM orders |> WHERE id > 1",
        "sqlglot puts the condition of a pipe into the SELECT before it; Spark into one above",
    ),
    (
        "FROM t |> LIMIT 3 |> WHERE a > 1",
        "sqlglot filters before it limits; Spark goes from left to right",
    ),
    (
        "FROM t |> SELECT a, sum(b) GROUP BY a",
        "sqlglot drops the GROUP BY of a pipe",
    ),
    (
        "SELECT a COLLATE system.builtin.UTF8_LCASE FROM t",
        "sqlglot reads the name of the collation as a column",
    ),
    (
        "SELECT * FROM t JOIN u USING (IDENTIFIER('a'))",
        "sqlglot keeps a call where Spark reads the name `a`",
    ),
    (
        "SELECT * FROM VALUES 1, 2 AS t(a)",
        "sqlglot takes `2 AS t` for the last value; Spark names the inline table `t`",
    ),
    ("TABLE orders", "sqlglot reads a column `TABLE` with an alias; Spark reads the whole table"),
    ("SELECT TIME '12:30:00' :: STRING", "sqlglot casts the text before it makes a time of it"),
    (
        "SELECT INTERVAL '1' DAY + '2 days'",
        "sqlglot reads any string behind an interval as a further interval; Spark adds a string",
    ),
    ("SELECT interval (a) day", "sqlglot reads an interval; Spark a call named `interval`"),
    ("SELECT v:price FROM t", "sqlglot reads `:price` as an alias; Spark as a field of a VARIANT"),
    ("SELECT ARRAY[0] FROM t", "sqlglot builds an array; Spark takes an element of a column"),
    (
        "SELECT /*+ COALESCE(1) */ /*+ REBALANCE(a) */ a FROM t",
        "sqlglot keeps the first of two hints; Spark both",
    ),
    (
        "SELECT IDENTIFIER('abs')(a) FROM t",
        "sqlglot reads `(a)` as column aliases; Spark calls the function",
    ),
    ("SELECT * FROM STREAM orders", "sqlglot reads a table `STREAM`; Spark a stream"),
    ("SELECT 0x1F", "sqlglot reads a number; to Spark it is a name, bytes are written X'1F'"),
    ("SELECT a::ARRAY<INT>[0] FROM t", "sqlglot reads an array of that type; Spark an element"),
    (
        "FROM t |> AS u |> SELECT u.a",
        "sqlglot leaves an alias where a table belongs, which no later step can read",
    ),
    (
        "SELECT 1 FROM a OUTER JOIN b ON a.x = b.x",
        "sqlglot reads a kind of join; Spark's grammar has none of it and reads the alias `OUTER`",
    ),
)

# What Spark's grammar takes and we refuse on purpose.
KNOWN_REFUSALS: tuple[tuple[str, str], ...] = (
    (
        "SELECT FROM orders",
        "Spark reads a column `FROM` with the alias `orders`; it is a list left out",
    ),
    ("SELECT a, FROM orders", "Spark reads a column `FROM`; it is a comma too many"),
    ("SELECT a FROM case", "Spark reserves nothing; we keep the words of RESERVED"),
    ("SELECT x -> x + 1", "Spark parses a lambda anywhere; it has a meaning in calls alone"),
    ("SELECT * (a) FROM orders", "Spark parses a star under a name; it has no meaning"),
    ("SELECT (*) FROM orders", "Spark parses a star in parentheses; it has no meaning"),
    ("SELECT DISTINCT ON (a) b FROM t", "Spark reads a call of a function `ON`"),
    ("SELECT distinct, a FROM t", "Spark reads a column `distinct`; it is a comma too many"),
    (
        "SELECT a FROM t WINDOW w AS (ORDER BY a) ORDER BY a WINDOW v AS (ORDER BY b)",
        "Spark takes a WINDOW clause for the SELECT and one for the query; one has room for all",
    ),
    (
        "FROM t SELECT a SELECT b",
        "Hive's several queries over one FROM; a UNION ALL says the same",
    ),
)

# What Spark's parser refuses and we take on purpose.
KNOWN_ACCEPTANCES: tuple[tuple[str, str], ...] = (
    (
        "SELECT IDENTIFIER((SELECT 'a', 'b'))",
        "Spark reads a typed literal of the type SELECT; it is a query",
    ),
    (
        "SELECT * FROM VALUES (CAST('nan' AS INT)) AS t(a)",
        "Spark computes rows while it parses; a value that cannot be is no mistake of syntax",
    ),
    (
        "SELECT * FROM t CHANGES FROM VERSION 1 WITH (deduplicationMode = 'foo')",
        "what an option may be is its reader's to know",
    ),
    (
        "SELECT CAST(a AS STRING COLLATE foo) FROM t",
        "which collations there are is Spark's to know, when the job starts",
    ),
)

# Shapes that random queries run into now and then.
_INTERVAL_AND_LITERAL = re.compile(r"INTERVAL\b[^()]*[+]\s*(?:['\"\d.]|r')")
_TYPE_WORD_AND_SIGN = re.compile(r"\b(?:struct|array|map)\b.*[<>]", re.IGNORECASE | re.DOTALL)


def sqlglot_misreads(sql: str) -> bool:
    """A string or number added to an interval: sqlglot takes it for a further interval."""
    return bool(_INTERVAL_AND_LITERAL.search(sql))


def sparks_lexer_misreads(sql: str) -> bool:
    """Spark's lexer counts the words STRUCT, ARRAY and MAP against `<` and `>`, calls included."""
    return bool(_TYPE_WORD_AND_SIGN.search(sql))
