"""What other dialects write, and Spark's spelling of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure


@dataclass(frozen=True, slots=True)
class Habit:
    """Texts of neighbouring tokens, `?` for any; `{n}` in the help is what stands at place n."""

    words: tuple[str, ...]
    message: str
    help: str


def _habit(words: str, message: str, help_text: str) -> Habit:
    return Habit(tuple(words.split()), message, help_text)


_HABITS = (
    _habit("& &", "`&&` is not an operator", "write AND"),
    _habit("= >", "`= >` is not an operator", "write >="),
    _habit("= <", "`= <` is not an operator", "write <="),
    _habit("> =", "`> =` is not an operator", "write >= without the space"),
    _habit("< =", "`< =` is not an operator", "write <= without the space"),
    _habit("< >", "`< >` is not an operator", "write <> without the space"),
    _habit("! =", "`! =` is not an operator", "write != without the space"),
    _habit("= !", "`= !` is not an operator", "write !="),
    _habit("? =>", "`=>` is not a comparison", "write >="),
    _habit("ASCENDING", "ASCENDING is written ASC", "write ASC, or nothing"),
    _habit("DESCENDING", "DESCENDING is written DESC", "write DESC"),
    _habit("= =", "`= =` is not an operator", "write = once"),
    _habit("EMIT FINAL", "EMIT FINAL is ksqlDB's", "write EMIT ON WINDOW CLOSE"),
    _habit("EMIT AFTER", "EMIT AFTER is not an EMIT of tvfc", "write EMIT ON WINDOW CLOSE"),
    *(
        _habit(f"FETCH {word} {rows}", f"FETCH {word} is not Spark's", f"write LIMIT {limit}")
        for word in ("FIRST", "NEXT")
        for rows, limit in (("ROW", "1"), ("? ROWS", "{2}"), ("?", "{2}"))
    ),
    _habit("TOP ?", "TOP is not Spark's", "write LIMIT {1} at the end of the query"),
    _habit("LIMIT ? , ?", "LIMIT takes one number", "write LIMIT {3} OFFSET {1}"),
    _habit("NULL FIRST", "`NULL FIRST` lacks an S", "write NULLS FIRST"),
    _habit("NULL LAST", "`NULL LAST` lacks an S", "write NULLS LAST"),
    _habit("* EXCLUDE", "EXCLUDE is not Spark's", "write * EXCEPT (column)"),
    _habit("* REPLACE", "REPLACE is not Spark's", "name the columns themselves"),
    _habit("( NOLOCK", "NOLOCK is not Spark's", "leave it out"),
    _habit("NOTNULL", "NOTNULL is not Spark's", "write IS NOT NULL"),
    _habit("ISNULL", "ISNULL behind a value is not Spark's", "write IS NULL"),
    _habit("ALL ( SELECT", "ALL over a query is not Spark's", "compare with (SELECT max(...) ...)"),
    _habit("ANY ( SELECT", "ANY over a query is not Spark's", "write IN (SELECT ...) or EXISTS"),
    _habit("SOME ( SELECT", "SOME over a query is not Spark's", "write IN (SELECT ...) or EXISTS"),
    _habit("SEPARATOR ?", "SEPARATOR is MySQL's", "write listagg(a, {1})"),
    _habit("FROM [ ? ]", "brackets do not quote a name", "write it in backquotes: `{2}`"),
    _habit("JOIN [ ? ]", "brackets do not quote a name", "write it in backquotes: `{2}`"),
    _habit("{", "`{` is not part of SQL", "fill in templates before tvfc reads the file"),
    _habit(
        "DESCRIPTOR (", "DESCRIPTOR is Flink's", "name the column itself: TUMBLE(orders, ts, ...)"
    ),
    _habit("ON CONFLICT", "ON CONFLICT is not supported", "a keyed sink takes upserts by itself"),
    _habit(
        "AT TIME ZONE",
        "AT TIME ZONE is not Spark's",
        "write from_utc_timestamp(ts, 'Europe/Paris')",
    ),
    _habit("IS NOTNULL", "NOTNULL is not Spark's", "write IS NOT NULL"),
    _habit("= NULL", "a comparison with NULL is never true", "write IS NULL"),
    _habit(
        "DISTINCT ON",
        "DISTINCT ON is PostgreSQL's",
        "write QUALIFY row_number() OVER (PARTITION BY key ORDER BY ts DESC) = 1",
    ),
    _habit("? CONTAINS ?", "CONTAINS is a function", "write contains({0}, {2})"),
    _habit("? STARTSWITH ?", "STARTSWITH is a function", "write startswith({0}, {2})"),
    _habit("? ENDSWITH ?", "ENDSWITH is a function", "write endswith({0}, {2})"),
    _habit(
        "PARTITIONED BY",
        "sources and sinks of tvfc are not PARTITIONED BY",
        "leave it out; several folders are several sinks, each with a WHERE",
    ),
    _habit(
        "APPEND ONLY",
        "APPEND ONLY is RisingWave's",
        "leave it out: a source only grows, and a sink that takes nothing back has "
        "OPTIONS (mode 'append')",
    ),
    _habit(
        "INTO KAFKA CONNECTION",
        "a connection is no object of its own",
        "write CREATE SINK changes USING kafka OPTIONS (topic 'changes', "
        "kafka.bootstrap.servers 'broker:9092') AS SELECT ...",
    ),
    _habit("INTO ?", "SELECT ... INTO is not Spark's", "write INSERT INTO sink SELECT ..."),
    _habit("SIMILAR TO", "SIMILAR TO is not Spark's", "write RLIKE and a regular expression"),
    _habit(
        "TUMBLE ( TABLE",
        "TUMBLE takes the relation itself",
        "write TUMBLE(orders, ts, INTERVAL 1 MINUTE)",
    ),
    _habit(
        "HOP ( TABLE",
        "HOP takes the relation itself",
        "write HOP(orders, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)",
    ),
    _habit(
        "SESSION ( TABLE",
        "SESSION takes the relation itself",
        "write SESSION(orders, ts, customer, INTERVAL 5 MINUTES)",
    ),
    _habit(
        "CUMULATE ( TABLE",
        "CUMULATE takes the relation itself",
        "write CUMULATE(orders, ts, INTERVAL 1 MINUTE, INTERVAL 1 HOUR)",
    ),
    _habit(
        "AS PROCTIME",
        "a source has no computed columns",
        "leave it out, and read PROC_TIME() in a view",
    ),
    _habit(
        "IN CLUSTER",
        "clusters are Materialize's",
        "leave it out: a job runs where spark-submit starts it",
    ),
    _habit(
        "FROM KAFKA CONNECTION",
        "a connection is no object of its own",
        "name the columns, and then USING kafka OPTIONS (topic 'orders', "
        "kafka.bootstrap.servers 'broker:9092')",
    ),
    *(
        _habit(
            f"FROM {system}",
            f"FROM {system} is Materialize's",
            "name the columns, and read the database's changes: CREATE SOURCE a (id BIGINT, "
            "PRIMARY KEY (id)) USING kafka OPTIONS (topic 'a', kafka.bootstrap.servers "
            "'broker:9092') FORMAT DEBEZIUM ENCODE JSON",
        )
        for system in ("POSTGRES", "MYSQL", "SQL SERVER")
    ),
    _habit(
        "FROM LOAD GENERATOR",
        "FROM LOAD GENERATOR is Materialize's",
        "read Spark's: CREATE SOURCE a (timestamp TIMESTAMP, value BIGINT) USING rate "
        "OPTIONS (rowsPerSecond '10')",
    ),
    _habit(
        "( * )",
        "a star in parentheses lists no columns",
        "name them; those of a source with FORMAT PLAIN ENCODE AVRO are known to its registry, and "
        "CREATE SOURCE may leave them out",
    ),
    _habit(
        "SINK ? FROM ?",
        "a sink has a query",
        "write CREATE SINK {1} USING kafka OPTIONS (...) AS SELECT * FROM {3}",
    ),
    _habit(
        "WINDOW TUMBLING",
        "windows stand in FROM",
        "write FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) GROUP BY window_start",
    ),
    _habit(
        "WINDOW HOPPING",
        "windows stand in FROM",
        "write FROM HOP(orders, ts, INTERVAL 1 MINUTE, INTERVAL 1 HOUR) GROUP BY window_start",
    ),
    _habit(
        "WINDOW SESSION",
        "windows stand in FROM",
        "write FROM SESSION(orders, ts, customer, INTERVAL 5 MINUTES)",
    ),
    _habit(
        "WITHIN ? ?",
        "the range of time of a join stands in ON",
        "write ON a.id = b.id AND b.ts BETWEEN a.ts - INTERVAL {1} {2} AND a.ts + INTERVAL {1} {2}",
    ),
    _habit(
        "LAST ? ROWS",
        "LAST is not Spark's",
        "write ORDER BY ts DESC LIMIT {1} at the end of the query",
    ),
    _habit(
        "AS OF",
        "AS OF is Materialize's",
        "leave it out: a job tells its changes from the start of its checkpoint on; "
        "`tvfc state --as-of` looks back",
    ),
    _habit("? ? KEY ,", "KEY is ksqlDB's", "write PRIMARY KEY ({0}) behind the columns"),
    _habit("GENERATED ALWAYS", "a source has no generated columns", "compute the column in a view"),
    _habit("DEFAULT ?", "a source has no default values", "use coalesce() in a view"),
    _habit("CHECK (", "a source has no CHECK", "filter in a view"),
    _habit("@ ?", "`@` is not part of Spark SQL", "write :name for a parameter"),
    _habit("START WITH", "START WITH is not Spark's", "write WITH RECURSIVE"),
    _habit("CONNECT BY", "CONNECT BY is not Spark's", "write WITH RECURSIVE"),
    _habit("CROSS APPLY", "CROSS APPLY is not Spark's", "write JOIN LATERAL"),
    _habit("OUTER APPLY", "OUTER APPLY is not Spark's", "write LEFT JOIN LATERAL"),
    _habit("FOR UPDATE", "FOR UPDATE is not Spark's", "leave it out"),
    _habit(
        "BIN BY",
        "BIN BY is not supported",
        "group by windows: FROM TUMBLE(orders, ts, INTERVAL 5 MINUTES) GROUP BY window_start",
    ),
    Habit(
        (")", "FOR", "SYSTEM TIME AS OF"),
        "FOR SYSTEM_TIME AS OF is of a source or view, not of a query",
        "name the query: CREATE VIEW rates AS ..., JOIN rates FOR SYSTEM_TIME AS OF a.ts AS r",
    ),
    _habit(
        "MUTUALLY RECURSIVE",
        "MUTUALLY RECURSIVE is Materialize's",
        "join a source with itself as often as its rows may follow each other",
    ),
    _habit("? ARRAY [ ?", "ARRAY is a function", "write array({3}, ...)"),
    _habit("= ANY", "ANY is not Spark's", "write IN (1, 2), or array_contains(items, a)"),
    _habit("= SOME", "SOME is not Spark's", "write IN (1, 2), or array_contains(items, a)"),
    _habit(
        "=> TABLE ?",
        "a relation that a function takes is named as it is",
        "write TUMBLE({2}, ts, INTERVAL 1 MINUTE)",
    ),
    _habit(
        "TEMPORAL JOIN",
        "TEMPORAL JOIN is not Spark's",
        "join a table as it is, and versions of a stream by JOIN b FOR SYSTEM_TIME AS OF a.ts",
    ),
    *(
        _habit(
            f"? TO {unit} )", "CEIL and FLOOR take numbers", f"write date_trunc('{unit}', {{0}})"
        )
        for unit in ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
    ),
    _habit("WITH TIES", "WITH TIES is not Spark's", "use rank() and QUALIFY"),
)


# Words of a habit that its span leaves out.
_LOOSE = frozenset({"?", "(", ",", "[", "]"})


def foreign_habit(failure: Failure) -> Diagnostic | None:
    """A spelling of another dialect around the token at fault."""
    for habit in _HABITS:
        for offset in range(-len(habit.words), 1):
            if not _stands(failure, habit.words, offset):
                continue
            named = [place for place, word in enumerate(habit.words) if word not in _LOOSE]
            if habit.words[0] in ("LIMIT", "TOP") or len(named) < len(habit.words) - 2:
                named.append(len(habit.words) - 1)
            span = failure.span_at(offset + named[0]).cover(failure.span_at(offset + named[-1]))
            given = [failure.text_at(offset + place) for place in range(len(habit.words))]
            help_text = habit.help.format(*given)
            return failure.diagnostic("TVF118", habit.message, span=span, help=help_text)
    return None


def _stands(failure: Failure, words: tuple[str, ...], offset: int) -> bool:
    return all(
        failure.text_at(offset + number).upper() == word
        or (word == "?" and failure.text_at(offset + number))
        for number, word in enumerate(words)
    )
