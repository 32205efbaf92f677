"""Random queries, for hypothesis: mostly right ones, and some with a token out of place.

A strategy a tier of the language; `broken_queries` takes a right query and drops, doubles or
swaps one token, so that Spark's parser has something to refuse.
"""

from __future__ import annotations

from hypothesis import strategies as st

from compiler.syntax.tokens.words import words

NAMES = st.sampled_from(
    words(
        "a b c id price ts left filter first year watermark emit late source window_x `odd_name` "
        "t.a t.b.c x rows date key value type"
    )
)
TABLES = st.sampled_from(words("t u orders shop.orders `my-table` late emit source"))
NUMBERS = st.sampled_from(words("0 1 2.5 .5 1e3 10L 7Y 2.5BD 1.5D"))
STRINGS = st.sampled_from(["'x'", '"y"', "'it\\'s'", "'a\\nb'", "r'\\d'", "X'1F'", "'a' 'b'"])
OTHERS = st.sampled_from(
    [
        "NULL",
        "TRUE",
        "FALSE",
        "DATE '2024-02-29'",
        "TIMESTAMP '2024-02-29 12:00:00'",
        "INTERVAL 1 DAY",
        "INTERVAL '2' HOURS",
        "INTERVAL '1-6' YEAR TO MONTH",
        "INTERVAL 1 DAY 2 HOURS",
        "INTERVAL '5 minutes'",
        "current_date",
        "?",
        ":p",
    ]
)
TYPES = st.sampled_from(
    words("INT STRING DECIMAL(10,2) ARRAY<INT> MAP<STRING,ARRAY<INT>> STRUCT<x:INT,y:DATE> DOUBLE")
)
# Not >>: behind the word STRUCT or ARRAY, Spark's lexer takes it for the end of two types.
BINARY = st.sampled_from(words("+ - * / % DIV || & | ^ <<"))
COMPARE = st.sampled_from(words("= == <> != < <= > >= <=>"))
JOINS = st.sampled_from(
    [
        "JOIN",
        "LEFT JOIN",
        "RIGHT OUTER JOIN",
        "FULL JOIN",
        "INNER JOIN",
        "LEFT SEMI JOIN",
        "ANTI JOIN",
    ]
)
FUNCTIONS = st.sampled_from(words("f sum coalesce concat upper greatest array map_keys shop.f"))
NOT = st.sampled_from(["", "NOT "])
GROUPINGS = st.sampled_from(["ROLLUP (a, b)", "GROUPING SETS ((a), ())", "ALL", "a WITH CUBE"])


def _values(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions without predicates at the top, so that any operator may follow."""
    listed = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        st.builds("{} {} {}".format, inner, BINARY, inner),
        st.builds("({})".format, inner),
        st.builds("-{}".format, st.one_of(NAMES, NUMBERS)),
        st.builds("{}({})".format, FUNCTIONS, listed),
        st.builds("count(DISTINCT {})".format, listed),
        st.builds("CAST({} AS {})".format, inner, TYPES),
        st.builds("{}::{}".format, NAMES, TYPES),
        st.builds("{}[{}]".format, NAMES, inner),
        st.builds("CASE WHEN {} = {} THEN {} ELSE {} END".format, inner, inner, inner, inner),
        st.builds("CASE {} WHEN {} THEN {} END".format, inner, inner, inner),
        st.builds("transform({}, x -> {})".format, NAMES, inner),
        st.builds("struct({} AS p, {})".format, inner, inner),
        st.builds("EXTRACT(YEAR FROM {})".format, inner),
        st.builds("TRIM(BOTH 'x' FROM {})".format, inner),
        st.builds("SUBSTRING({} FROM {} FOR {})".format, inner, inner, inner),
        st.builds("sum({}) FILTER (WHERE {} > 1)".format, inner, inner),
        st.builds("sum({}) OVER (PARTITION BY {} ORDER BY {} DESC)".format, inner, inner, inner),
        st.builds(
            "max({}) OVER (ORDER BY {} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)".format,
            inner,
            inner,
        ),
        st.builds("(SELECT {} FROM {})".format, inner, TABLES),
    )


LEAVES = st.one_of(NAMES, NUMBERS, STRINGS, OTHERS)
VALUES = st.recursive(LEAVES, _values, max_leaves=6)


def _conditions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{} AND {}".format, inner, inner),
        st.builds("{} OR {}".format, inner, inner),
        st.builds("NOT {}".format, inner),
        st.builds("({})".format, inner),
    )


PREDICATES = st.one_of(
    st.builds("{} {} {}".format, VALUES, COMPARE, VALUES),
    st.builds("{} IS {}NULL".format, VALUES, NOT),
    st.builds("{} IS DISTINCT FROM {}".format, VALUES, VALUES),
    st.builds("{} {}BETWEEN {} AND {}".format, VALUES, NOT, VALUES, VALUES),
    st.builds("{} {}IN ({}, {})".format, VALUES, NOT, VALUES, VALUES),
    st.builds("{} {}LIKE {}".format, VALUES, NOT, STRINGS),
    st.builds("{} LIKE ANY ('x', 'y')".format, VALUES),
    st.builds("{} IN (SELECT {} FROM {})".format, VALUES, NAMES, TABLES),
    st.builds("EXISTS (SELECT 1 FROM {} WHERE {} = 1)".format, TABLES, NAMES),
)
CONDITIONS = st.recursive(PREDICATES, _conditions, max_leaves=4)

ALIASES = st.sampled_from(["", " AS k", " k", " AS end", " AS `a b`"])
ITEMS = st.one_of(
    st.builds("{}{}".format, VALUES, ALIASES),
    st.builds("{} AS k".format, CONDITIONS),
    st.sampled_from(["*", "t.*", "count(*)", "* EXCEPT (a)"]),
)
RELATIONS = st.one_of(
    TABLES,
    st.builds("{} AS r".format, TABLES),
    st.builds("(SELECT {} FROM {}) s".format, VALUES, TABLES),
    st.sampled_from(
        [
            "VALUES (1, 'a'), (2, 'b') AS v(x, y)",
            "range(10) AS g",
            "t TABLESAMPLE (10 PERCENT)",
            "t LATERAL VIEW explode(a) e AS b",
            "(t JOIN u ON t.a = u.a)",
            "t PIVOT (sum(a) FOR b IN (1, 2))",
        ]
    ),
)
FROMS = st.one_of(
    RELATIONS,
    st.builds("{}, {}".format, TABLES, RELATIONS),
    st.builds("{} {} {} ON {}".format, TABLES, JOINS, TABLES, CONDITIONS),
    st.builds("{} {} {} USING (a, b)".format, TABLES, JOINS, TABLES),
)


def _maybe(text: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.just(""), st.builds(text.format, inner))


SELECTS = st.builds(
    "SELECT {}{} FROM {}{}{}{}".format,
    st.sampled_from(["", "", "DISTINCT ", "ALL "]),
    st.lists(ITEMS, min_size=1, max_size=3).map(", ".join),
    FROMS,
    _maybe(" WHERE {}", CONDITIONS),
    _maybe(
        " GROUP BY {}",
        st.one_of(
            VALUES,
            st.sampled_from(["ROLLUP (a, b)", "GROUPING SETS ((a), ())", "ALL", "a WITH CUBE"]),
        ),
    ),
    _maybe(" HAVING {}", CONDITIONS),
)
TAILS = st.builds(
    "{}{}".format,
    _maybe(" ORDER BY {}", st.builds("{} DESC NULLS LAST, a".format, VALUES)),
    st.sampled_from(["", "", " LIMIT 10", " LIMIT 5 OFFSET 2"]),
)
SETS = st.sampled_from(["UNION", "UNION ALL", "EXCEPT", "INTERSECT", "MINUS"])
QUERIES = st.one_of(
    st.builds("{}{}".format, SELECTS, TAILS),
    st.builds("{} {} {}{}".format, SELECTS, SETS, SELECTS, TAILS),
    st.builds("{} {} {} {} {}".format, SELECTS, SETS, SELECTS, SETS, SELECTS),
    st.builds("({}) {} ({}){}".format, SELECTS, SETS, SELECTS, TAILS),
    st.builds("WITH w AS ({}), v (a) AS ({}) {}".format, SELECTS, SELECTS, SELECTS),
    st.builds("SELECT * FROM ({}) q WHERE {}".format, SELECTS, CONDITIONS),
)


@st.composite
def broken_queries(draw: st.DrawFn) -> str:
    """A query with one word dropped, doubled, or swapped with its neighbour."""
    text = draw(QUERIES).split(" ")
    place = draw(st.integers(0, len(text) - 1))
    how = draw(st.sampled_from(["drop", "double", "swap"]))
    if how == "drop":
        del text[place]
    elif how == "double":
        text.insert(place, text[place])
    elif place + 1 < len(text):
        text[place], text[place + 1] = text[place + 1], text[place]
    return " ".join(text)
