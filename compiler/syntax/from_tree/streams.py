"""Our relations and clauses: watermarks, windows in FROM, late rows, EMIT."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.diagnostics.diagnostic import Label
from compiler.syntax import nodes
from compiler.syntax.from_tree.checks import singular
from compiler.syntax.from_tree.relations import table_function
from compiler.syntax.from_tree.tables import change_feed
from compiler.syntax.refusal import RefusalError


def emit(revised: nodes.Revision | None) -> nodes.EmitOnWindowClose:
    """`EMIT ON WINDOW CLOSE THEN REVISE`."""
    return nodes.EmitOnWindowClose(revision=revised)


def revision(allowance: exp.Expression | None) -> nodes.Revision:
    """`THEN REVISE FOR allowance`."""
    return nodes.Revision(allowance=allowance)


def emit_changes(every: exp.Expression | None) -> nodes.EmitChanges:
    """`EMIT CHANGES EVERY every`."""
    return nodes.EmitChanges(every=every)


def relation_with_alias(
    node: exp.Expression, sample: exp.TableSample | None, alias: exp.TableAlias | None
) -> exp.Expression:
    """One of our relations, named."""
    if sample is not None:
        node.set("sample", sample)
    if alias is not None:
        node.set("alias", alias)
    return node


FILLS = ("0", "NULL", "PREVIOUS", "LINEAR")


def fill(value: exp.Expression, silence: exp.Expression | None) -> nodes.Fill:
    """`FILL (0 | NULL | PREVIOUS | LINEAR) [FOR silence]`."""
    is_word = isinstance(value, exp.Column) and len(value.parts) == 1 and not value.this.quoted
    is_number = isinstance(value, exp.Literal) and not value.is_string
    text = value.name.upper() if is_word or is_number else value.sql("spark").upper()
    if text not in FILLS or (isinstance(value, exp.Literal) and value.is_string):
        raise RefusalError(
            "TVF110",
            "FILL takes 0, NULL, PREVIOUS or LINEAR",
            value.meta.get("span"),
            "none of these",
            help="write FILL (0), or FILL (NULL) and COALESCE(…) in the SELECT list",
        )
    made = exp.Var(this=text)
    made.meta["span"] = value.meta.get("span")
    return nodes.Fill(this=made, silence=silence)


_FILLED = (nodes.TumbleRelation, nodes.HopRelation, nodes.CumulateRelation)


def filled_relation(
    node: exp.Expression,
    filling: nodes.Fill,
    sample: exp.TableSample | None,
    alias: exp.TableAlias | None,
) -> exp.Expression:
    """`TUMBLE(…) FILL (…)`, HOP or CUMULATE, named."""
    if not isinstance(node, _FILLED):
        raise RefusalError(
            "TVF110",
            "FILL stands behind TUMBLE, HOP or CUMULATE",
            filling.meta.get("span"),
            "fills windows that follow each other at one distance",
            help="write TUMBLE(rel, column, size) FILL (…)",
        )
    node.set("fill", filling)
    return relation_with_alias(node, sample, alias)


def watermark_relation(
    source: exp.Expression, column: exp.Expression, strategy: exp.Expression
) -> exp.Expression:
    """`WATERMARK(rel, column, strategy)`."""
    _check_column("WATERMARK", column, SHAPES["WATERMARK"])
    return nodes.WatermarkRelation(this=source, column=column, expression=strategy)


# How each of our relations is written.
SHAPES = {
    "TUMBLE": "TUMBLE(rel, column, size)",
    "HOP": "HOP(rel, column, slide, size)",
    "CUMULATE": "CUMULATE(rel, column, step, size)",
    "SESSION": "SESSION(rel, column, key, gap)",
    "WATERMARK": "WATERMARK(rel, column, strategy)",
    "LATE": "LATE(rel)",
    "BAD": "BAD(source)",
}
_PARTS: dict[str, tuple[type[exp.Expression], tuple[str, ...], int]] = {
    "TUMBLE": (nodes.TumbleRelation, ("size", "offset"), 1),
    "HOP": (nodes.HopRelation, ("slide", "size", "offset"), 2),
    "CUMULATE": (nodes.CumulateRelation, ("step", "size"), 2),
    "SESSION": (nodes.SessionRelation, ("keys", "gap"), 2),
}


def _windowed(name: str, source: exp.Expression, given: tuple[exp.Expression, ...]) -> Any:
    kind, keys, required = _PARTS[name]
    shape = SHAPES[name]
    if not 1 + required <= len(given) <= 1 + len(keys):
        raise RefusalError(
            "TVF110",
            f"{name} takes {_count(2 + required, 2 + len(keys))} arguments, "
            f"this call has {1 + len(given)}",
            help=f"write {shape}",
        )
    column, *rest = given
    _check_column(name, column, shape)
    return kind(this=source, column=column, **dict(zip(keys, rest, strict=False)))


def _check_step(name: str, part: str, node: exp.Expression) -> None:
    """Swapped arguments: a slide longer than its window loses rows."""
    step, size = _seconds(node.args[part]), _seconds(node.args["size"])
    if step is None or size is None or step <= size:
        return
    raise RefusalError(
        "TVF110",
        f"the {part} of {name} is longer than the window",
        node.args[part].meta.get("span"),
        f"the {part}",
        others=(Label(node.args["size"].meta["span"], "the window", primary=False),),
        help=f"are the two swapped? write {SHAPES[name]}",
    )


_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 604800}


def _seconds(duration: exp.Expression) -> float | None:
    """The length of a simple interval; None for anything else."""
    if not isinstance(duration, exp.Interval) or not isinstance(duration.unit, exp.Var):
        return None
    scale = _SECONDS.get(singular(duration.unit.name))
    try:
        return None if scale is None else float(duration.this.name) * scale
    except ValueError:
        return None


def _count(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} or {most}"


def _check_column(name: str, column: exp.Expression, shape: str = "") -> None:
    if isinstance(column, exp.Anonymous) and column.name.upper() == "DESCRIPTOR":
        raise RefusalError(
            "TVF118",
            "DESCRIPTOR is Flink's",
            column.meta.get("span"),
            help="name the relation and the column themselves: "
            "TUMBLE(orders, ts, INTERVAL 1 MINUTE)",
        )
    is_arrival = isinstance(column, nodes.ProcTime) and name in _PARTS
    if not (isinstance(column, exp.Column) or is_arrival):
        raise RefusalError(
            "TVF110",
            f"the second argument of {name} must be the time column",
            column.meta.get("span"),
            help=f"write {shape}" if shape else None,
        )


def tumble_relation(source: exp.Expression, *given: exp.Expression) -> exp.Expression:
    """`TUMBLE(rel, column, size, offset)`."""
    node: exp.Expression = _windowed("TUMBLE", source, given)
    return node


def hop_relation(source: exp.Expression, *given: exp.Expression) -> exp.Expression:
    """`HOP(rel, column, slide, size, offset)`."""
    node: exp.Expression = _windowed("HOP", source, given)
    _check_step("HOP", "slide", node)
    return node


def cumulate_relation(source: exp.Expression, *given: exp.Expression) -> exp.Expression:
    """`CUMULATE(rel, column, step, size)`."""
    node: exp.Expression = _windowed("CUMULATE", source, given)
    _check_step("CUMULATE", "step", node)
    return node


def session_relation(source: exp.Expression, *given: exp.Expression) -> exp.Expression:
    """`SESSION(rel, column, key, gap)`; the key may be a list in parentheses, or missing."""
    if len(given) == _WITHOUT_KEY:
        column, gap = given
        _check_column("SESSION", column, SHAPES["SESSION"])
        if isinstance(gap, exp.Column):
            # A key whose gap is missing must not be taken for a gap.
            raise RefusalError(
                "TVF110",
                "SESSION has no gap, or one of each row, but no key",
                gap.meta.get("span"),
                "a key, or the gap?",
                help="write SESSION(rel, column, key, gap); of all rows together, SESSION(rel, "
                "column, gap) with an interval",
            )
        return nodes.SessionRelation(this=source, column=column, keys=[], gap=gap)
    node: exp.Expression = _windowed("SESSION", source, given)
    keys = node.args["keys"]
    if isinstance(keys, exp.Tuple):
        node.set("keys", keys.expressions)
    else:
        node.set("keys", [keys.this if isinstance(keys, exp.Paren) else keys])
    return node


_WITHOUT_KEY = 2
"""Arguments behind the relation."""


def late_relation(source: exp.Expression) -> nodes.LateRelation:
    """`LATE(rel)`."""
    return nodes.LateRelation(this=source)


def bad_relation(source: exp.Expression) -> nodes.BadRelation:
    """`BAD(source)`."""
    return nodes.BadRelation(this=source)


def stream_relation(
    streamed_: tuple[exp.Expression, list[exp.Expression] | None],
    watermark: dict[str, Any] | None,
) -> nodes.StreamRelation:
    """`STREAM t WATERMARK ... DELAY OF ...`."""
    source, options = streamed_
    return nodes.StreamRelation(this=source, options=options, **(watermark or {}))


def watermarked(
    source: exp.Expression,
    sample: exp.TableSample | None,
    watermark: dict[str, Any],
    alias: exp.TableAlias | None,
) -> nodes.StreamRelation:
    """`t WATERMARK ... DELAY OF ... AS a`: Spark's clause without STREAM."""
    if sample is not None:
        source.set("sample", sample)
    return nodes.StreamRelation(this=source, alias=alias, **watermark)


def watermarked_call(
    call: exp.Expression,
    sample: exp.TableSample | None,
    watermark: dict[str, Any],
    alias: exp.TableAlias | None,
) -> nodes.StreamRelation:
    """The same behind a table function."""
    return watermarked(table_function(call, None, None, None), sample, watermark, alias)


Options = tuple[str, list[exp.Expression]]


def streamed(
    name: exp.Expression, options: Options | None
) -> tuple[exp.Expression, list[exp.Expression] | None]:
    """The table or table function behind STREAM, and its options."""
    source = name if isinstance(name, exp.Table) else table_function(name, None, None, None)
    return source, options[1] if options is not None else None


def streamed_changes(
    name: exp.Table, changes: dict[str, Any], options: Options | None
) -> tuple[exp.Expression, None]:
    """The changes of a table as a stream, which has no end."""
    if changes["end"] is not None:
        raise RefusalError(
            "TVF109",
            "a stream of changes has no end",
            changes["end"].meta.get("span"),
            help="leave out TO, or leave out STREAM",
        )
    return change_feed(name, changes, options, None), None


def watermark_clause(
    expression: exp.Expression, alias: exp.Identifier | None, delay: exp.Expression
) -> dict[str, Any]:
    """`WATERMARK expression AS alias DELAY OF delay`."""
    return {"watermark": expression, "watermark_alias": alias, "delay": delay}


RULES: tuple[Any, ...] = (
    cumulate_relation,
    emit,
    emit_changes,
    revision,
    fill,
    filled_relation,
    hop_relation,
    late_relation,
    bad_relation,
    relation_with_alias,
    session_relation,
    stream_relation,
    watermark_clause,
    streamed,
    streamed_changes,
    tumble_relation,
    watermark_relation,
    watermarked,
    watermarked_call,
)
