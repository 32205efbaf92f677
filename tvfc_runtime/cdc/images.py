"""Images of rows as changes.

A record has an image of a row as it is, as it was, or both. Where it always says what a row was,
that row goes and the other comes: `__diff` of -1 and 1, and nothing is kept. Else rows are told
apart by a key: a row comes under its key, or its key goes, `__gone`; an operator keeps the last
row of each key and knows what goes.

Each image is judged by itself: one that does not fit its columns is no row of the source, neither
when it comes nor when it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.changing.latest import GONE, ORDER
from tvfc_runtime.records.bad_rows import BAD, FAULT, FILE, null_fault
from tvfc_runtime.rows.sql_text import quote, text
from tvfc_runtime.rows.updates import DIFF

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

IMAGES = "before.images"
"""The option of ENCODE by which a query says that records tell what a row was: `whole`."""

WHOLE = "whole"


@dataclass(frozen=True, kw_only=True)
class Images:
    """The images of a record, SQL.

    Attributes:
        before: what the row was; NULL: the record does not say, or there was none.
        after: what it is; NULL: there is none.
        before_fault: why `before` does not fit its columns.
        after_fault: the same of `after`.
        fault: why the record tells nothing of rows; NULL: it does.
        ignored: whether it is to tell nothing.
        key: the key of a row that goes, by column, where the record has it beside its images.
    """

    before: str
    after: str
    before_fault: str
    after_fault: str
    fault: str
    ignored: str
    key: Mapping[str, str]


def keeps_last(source: Source) -> bool:
    """Whether the last row of each key of a source is kept: its records need not have the row."""
    record = source.record
    return record is not None and bool(source.key) and record.options.get(IMAGES) != WHOLE


def changed_rows(records: DataFrame, images: Images, source: Source) -> DataFrame:
    """Images as rows of a source with `__diff`, or with `__gone` and `__order`.

    Args:
        records: with `value`, `__file` and `__order`, and what the source includes of them.
        images: what is in them.
        source: the source.

    Returns:
        A row for each image: the columns of the source, those of its change, `__fault`, `__bad`
        with the record of a row at fault, and `__file`.
    """
    told = records.selectExpr(
        *(quote(name) for name in source.included),
        FILE,
        ORDER,
        "value",
        f"({images.ignored}) AS __cdc_ignored",
        f"({images.before}) AS __cdc_before",
        f"({images.after}) AS __cdc_after",
        f"({images.before_fault}) AS __cdc_before_fault",
        f"({_with_required(images, source)}) AS __cdc_after_fault",
        f"({images.fault}) AS __cdc_record_fault",
        *(f"({sql}) AS {quote(_beside(name))}" for name, sql in images.key.items()),
    ).where("NOT coalesce(__cdc_ignored, false)")
    keyed = keeps_last(source)
    changes = _by_key(source, images.key) if keyed else _by_images(source)
    nothing = f"CASE WHEN __cdc_record_fault IS NOT NULL THEN array({_nothing(source)})"
    rows = told.selectExpr("*", f"explode({nothing} ELSE {changes} END) AS __cdc_change")
    fault = F.expr(f"coalesce(__cdc_record_fault, __cdc_change.{FAULT})")
    own = [GONE, ORDER] if keyed else [DIFF]
    marks = rows.withColumns({FAULT: fault, GONE if keyed else DIFF: F.col("__cdc_change.how")})
    columns = [
        quote(name) if name in source.included else f"__cdc_change.row.{quote(name)}"
        for name in source.columns
    ]
    bad = F.when(F.col(FAULT).isNotNull(), F.coalesce(F.col("value"), F.lit("")))
    return marks.select(*columns, *own, FAULT, bad.alias(BAD), FILE)


def _with_required(images: Images, source: Source) -> str:
    """Why a row that comes does not fit; NULL in a column declared NOT NULL is a reason, too."""
    fields = (name for name in source.required if name in source.fields)
    nulls = [null_fault(f"({images.after}).{quote(name)}", name) for name in fields]
    if not nulls:
        return images.after_fault
    there = f"CASE WHEN ({images.after}) IS NOT NULL THEN coalesce({', '.join(nulls)}) END"
    return f"coalesce({images.after_fault}, {there})"


def _change(row: str, how: str, fault: str) -> str:
    return f"named_struct('row', {row}, 'how', {how}, '{FAULT}', {fault})"


def _nothing(source: Source) -> str:
    """What stands for a record at fault."""
    none = "false" if keeps_last(source) else "0"
    return _change(f"CAST(NULL AS {_row_ddl(source)})", none, "CAST(NULL AS STRING)")


def _row_ddl(source: Source) -> str:
    fields = ", ".join(f"{quote(name)}: {kind}" for name, kind in source.fields.items())
    return f"STRUCT<{fields}>"


def _by_images(source: Source) -> str:
    """What was goes, and what is comes; a row that stays as it is does neither."""
    types = " ".join(source.fields.values()).upper()
    stays = "false" if "MAP" in types or "VARIANT" in types else "__cdc_before <=> __cdc_after"
    stays = f"({stays} AND coalesce(__cdc_before_fault, __cdc_after_fault) IS NULL)"
    goes = _change("__cdc_before", "-1", "__cdc_before_fault")
    comes = _change("__cdc_after", "1", "__cdc_after_fault")
    changes = (
        f"CASE WHEN __cdc_before IS NOT NULL THEN {goes} END, "
        f"CASE WHEN __cdc_after IS NOT NULL THEN {comes} END"
    )
    return f"filter(array({changes}), each -> each IS NOT NULL AND NOT {stays})"


def _by_key(source: Source, beside: Mapping[str, str]) -> str:
    """What is comes under its key; a key goes whose row is gone, has another, or does not fit."""
    own = [name for name in source.key if name not in source.included]
    was = {name: f"__cdc_before.{quote(name)}" for name in own}
    if beside:
        was = {n: f"coalesce({v}, {quote(_beside(n))})" for n, v in was.items()}
    is_ = {name: f"__cdc_after.{quote(name)}" for name in own}
    missing = [f"CASE WHEN {{}} IS NULL THEN {text(f'its key has no {name}')} END" for name in own]
    no_key_was = _first(each.format(was[n]) for each, n in zip(missing, own, strict=True))
    no_key_is = _first(each.format(is_[n]) for each, n in zip(missing, own, strict=True))
    knows = [f"__cdc_before.{quote(name)} IS NOT NULL" for name in own]
    moves = [f"NOT (__cdc_before.{quote(name)} <=> {is_[name]})" for name in own]
    changes = ", ".join(
        [
            f"CASE WHEN __cdc_after IS NULL "
            f"THEN {_change(_key_row(source, was), 'true', no_key_was)} "
            f"WHEN __cdc_before IS NOT NULL AND {' AND '.join(knows) or 'true'} "
            f"AND ({' OR '.join(moves) or 'false'}) "
            f"THEN {_change(_key_row(source, was), 'true', 'CAST(NULL AS STRING)')} END",
            f"CASE WHEN __cdc_after_fault IS NOT NULL AND {no_key_is} IS NULL "
            f"THEN {_change(_key_row(source, is_), 'true', 'CAST(NULL AS STRING)')} END",
            f"CASE WHEN __cdc_after IS NOT NULL THEN "
            f"{_change('__cdc_after', 'false', f'coalesce(__cdc_after_fault, {no_key_is})')} END",
        ]
    )
    return f"filter(array({changes}), each -> each IS NOT NULL)"


def _first(faults: object) -> str:
    found = list(faults)  # type: ignore[call-overload]
    return f"coalesce({', '.join(found)})" if found else "CAST(NULL AS STRING)"


def _key_row(source: Source, key: Mapping[str, str]) -> str:
    """A row that has its key alone."""
    fields = ", ".join(
        f"{text(name)}, {key.get(name, f'CAST(NULL AS {kind})')}"
        for name, kind in source.fields.items()
    )
    return f"named_struct({fields})"


def _beside(name: str) -> str:
    return f"__cdc_key_{name}"
