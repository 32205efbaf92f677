"""Calls of functions: whether Spark knows them, and takes them as they are written."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta

from sqlglot import exp

from compiler.bind.groups.aggregates import behind, whole_of
from compiler.bind.names.scope import OWN_FUNCTIONS
from compiler.bind.patterns.terms import is_of_match
from compiler.diagnostics import suggest
from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.sql.inference import is_call
from compiler.sql.lengths import length_of
from compiler.sql.signatures import Signature, signatures
from compiler.syntax import span_of
from compiler.syntax.from_tree.streams import SHAPES
from compiler.syntax.nodes import WRITTEN, MatchClauses, WrittenCall

_ELSEWHERE = {
    "arg_max": "max_by",
    "arg_min": "min_by",
    "argmax": "max_by",
    "argmin": "min_by",
    "group_concat": "listagg",
    "approx_distinct": "approx_count_distinct",
    "iif": "if",
    "date_format_ms": "date_format",
    "strftime": "date_format",
    "epoch_ms": "timestamp_millis",
    "json_extract": "get_json_object",
    "json_value": "get_json_object",
    "proctime": "PROC_TIME",
    "watermark": "WATERMARK_TS",
    "current_watermark": "WATERMARK_TS",
    "mz_logical_timestamp": "mz_now",
    "latest_by_offset": "max_by",
    "earliest_by_offset": "min_by",
}
"""What functions of other systems are called here."""

_WRITTEN = {
    "unnest": "Spark calls it explode(): `FROM a LATERAL VIEW [OUTER] explode(items) t AS item`",
    "distinct": "DISTINCT stands once, behind SELECT: leave it out here",
    "table": "a relation or function stands there by itself: `FROM a`, `LATERAL explode(items)`",
    "date_bin": "write `time_bucket(INTERVAL 5 MINUTES, ts)`, or group by a window of "
    "`FROM TUMBLE(rel, ts, INTERVAL 5 MINUTES)`",
    "generate_series": "Spark calls it explode() of sequence(): `explode(sequence(1, 3))`",
} | dict.fromkeys(
    ("jsonb_array_elements", "json_array_elements", "jsonb_array_elements_text"),
    "say of what type the elements are: `explode(from_json(items, 'ARRAY<STRING>'))`",
)
"""What else to write in the place of functions of other systems."""

_OF_WINDOWS = ("tumble", "hop", "cumulate", "session")
_BOUNDS = ("start", "end", "rowtime", "proctime")


def check_calls(statement: exp.Expression, declared: Collection[str], problems: Problems) -> None:
    """Calls in a statement that Spark would refuse when the job starts.

    `declared` are functions of the user's own, in lower case.
    """
    for node in _nodes(statement):
        if is_call(node, "identifier") and not isinstance(node.parent, exp.Table):
            _refuse_computed_name(node, problems)
    for node, written in _calls(statement):
        name = written.name.lower()
        if name in declared or name.upper() in OWN_FUNCTIONS:
            continue
        signature = signatures().get(name)
        if signature is None:
            _unknown(written, span_of(node), problems)
            continue
        if signature.kind == "table":
            continue
        _check(node, written, signature, problems)


def _refuse_computed_name(node: exp.Expr, problems: Problems) -> None:
    """IDENTIFIER of a computed name; that of texts is a name before the query is parsed."""
    problems.add(
        "TVF501",
        "IDENTIFIER of anything but texts is not supported",
        span_of(node),
        "names nothing that is known when compiling",
        advice="write the name, IDENTIFIER('a.b'), or texts and parameters with `||` in between",
    )


def _calls(statement: exp.Expression) -> Iterator[tuple[exp.Expression, WrittenCall]]:
    for node in _nodes(statement):
        written = node.meta.get(WRITTEN)
        # In FROM there are table functions, and `db.f(x)` is in no registry.
        is_own = not isinstance(node.parent, exp.Table | exp.Dot)
        if written is not None and is_own and isinstance(node, exp.Expression):
            yield node, written


def _nodes(statement: exp.Expression) -> Iterator[exp.Expr]:
    """All nodes, also those of row patterns; calls that have a meaning for a match are left out."""
    for node in statement.walk():
        yield node
        clauses = node.args.get("clauses")
        if isinstance(clauses, MatchClauses):
            for part in (*clauses.partition, *clauses.measures, *clauses.defines):
                yield from (each for each in part.walk() if not is_of_match(each))


def _check(
    node: exp.Expression, written: WrittenCall, signature: Signature, problems: Problems
) -> None:
    if not signature.takes(written.arguments) and not written.has_star:
        wanted = signature.shown
        _refuse(
            written,
            f"takes {wanted} argument{'' if wanted == '1' else 's'}, not {written.arguments}",
            span_of(node),
            problems,
        )
        return
    if written.name.lower() == "time_bucket" and node.expressions:
        width = length_of(node.expressions[0])
        if width is not None and width <= timedelta(0):
            problems.add(
                "TVF206",
                "the width of time_bucket() is a length of time above zero",
                span_of(node.expressions[0]),
                "not a length",
                advice="write it as an interval, such as INTERVAL 10 SECONDS",
            )
    if signature.kind != "aggregate":
        return
    for modifier in _modifiers(node, written):
        if modifier not in signature.modifiers:
            _refuse(written, f"takes no {modifier}", span_of(whole_of(node)), problems)
    if written.has_star and not (isinstance(node, exp.Count) and _is_of_rows(node, written)):
        problems.add(
            "TVF211",
            f"`*` stands alone in count(*); {written.name}() of columns names them",
            span_of(node),
            "which columns?",
            advice=f"list them: `{written.name}(a, b)`",
        )


def _is_of_rows(node: exp.Count, written: WrittenCall) -> bool:
    """Whether rows are counted; a star with EXCEPT is a list of columns, none of which is NULL."""
    star = node.this
    return written.arguments == 1 and isinstance(star, exp.Star) and not any(star.args.values())


def _modifiers(node: exp.Expression, written: WrittenCall) -> Iterator[str]:
    if written.is_distinct:
        yield "DISTINCT"
    if written.nulls_inside or behind(node, exp.IgnoreNulls):
        yield "IGNORE NULLS"
    if behind(node, exp.WithinGroup) or isinstance(node.this, exp.Order):
        yield "WITHIN GROUP"


def _refuse(written: WrittenCall, what: str, span: Span, problems: Problems) -> None:
    problems.add(
        "TVF211",
        f"{written.name}() {what}",
        span,
        "not a call that Spark knows",
        advice=f"see `DESCRIBE FUNCTION {written.name}` in Spark, or declare a function of your "
        f"own with another name: `CREATE FUNCTION my_{written.name}`",
    )


def _unknown(written: WrittenCall, span: Span, problems: Problems) -> None:
    problems.add(
        "TVF208",
        f"there is no function `{written.name}`",
        span,
        "unknown",
        advice=_advice(written.name),
    )


def _advice(name: str) -> str:
    lowered = name.lower()
    kind, _, bound = lowered.partition("_")
    if kind in _OF_WINDOWS and (not bound or bound in _BOUNDS):
        column = "window_start" if bound in ("", "start") else "window_end"
        return (
            f"windows stand in FROM: `FROM {SHAPES[kind.upper()]} GROUP BY window_start, "
            f"window_end`, where `{column}` is a column"
        )
    if lowered in _WRITTEN:
        return _WRITTEN[lowered]
    near = _ELSEWHERE.get(lowered) or suggest(name, (*signatures(), *OWN_FUNCTIONS))
    if near is not None:
        return f"did you mean `{near}()`?"
    return f"if it is your own, declare it: `CREATE FUNCTION {name};`"
