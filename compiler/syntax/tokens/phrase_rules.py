"""When the words of a phrase are none: one question a phrase, asked with the tokens beside it.

The raw words stand side by side; a guard gets the walk and the place of the last of
them, and answers whether they are the phrase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.syntax.tokens.keyword_lists import RESERVED, word_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.tokens.walk import TokenWalk


def _after_create(walk: TokenWalk, _last: int) -> bool:
    return walk.previous() == "CREATE"


def _after_is(walk: TokenWalk, _last: int) -> bool:
    return walk.previous() in ("IS", "NOT")


def _before_parenthesis(walk: TokenWalk, last: int) -> bool:
    return walk.after(last) == "("


def _behind_table(walk: TokenWalk, _last: int) -> bool:
    """Behind a name, which may be a word of the grammar: items VERSION AS OF 3."""
    kind = walk.previous()
    if kind in ("NAME", "QUOTED_NAME", ")", "FOR"):
        return True
    return kind in word_types() and kind not in RESERVED and kind not in ("DISTINCT", "ALL")


def _behind_parenthesis(walk: TokenWalk, _last: int) -> bool:
    return walk.previous() == ")"


def _not_a_common_table(walk: TokenWalk, last: int) -> bool:
    return walk.after(last) not in ("AS", "(")


def _before_name_and_as(walk: TokenWalk, last: int) -> bool:
    """Not the column `watermark` in UNPIVOT (watermark FOR name IN (…))."""
    after = walk.after(last, 2)
    return after == "AS" or (walk.previous() in ("(", ",", ")") and after != "IN")


def _begins_change_feed(walk: TokenWalk, last: int) -> bool:
    """`t CHANGES FROM VERSION 1`, not a column or an alias `changes` from a table `version`."""
    after = walk.after(last)
    is_call = walk.is_name(last + 1) and walk.after(last, 2) == "("
    return _behind_table(walk, last) and (after in ("NUMBER", "STRING", "CAST", "(") or is_call)


def _in_change_feed(walk: TokenWalk, _last: int) -> bool:
    return any(kind.startswith("CHANGES_FROM") for kind in walk.out.types)


def _before_number_or_by(walk: TokenWalk, last: int) -> bool:
    return walk.after(last) in ("NUMBER", "BY")


def _behind_nearest(walk: TokenWalk, _last: int) -> bool:
    return any(kind.endswith("_NEAREST") for kind in walk.out.types[-2:])


def _behind_emit(walk: TokenWalk, _last: int) -> bool:
    """Not the THEN of a CASE with a column `revise`."""
    return walk.previous() == "EMIT_ON_WINDOW_CLOSE"


PHRASE_GUARDS: dict[str, Callable[[TokenWalk, int], bool]] = {
    "OR_REPLACE": _after_create,
    "DISTINCT_FROM": _after_is,
    "TIMESTAMP_AS_OF": _behind_table,
    "VERSION_AS_OF": _behind_table,
    "SYSTEM_TIME_AS_OF": _behind_table,
    "SYSTEM_VERSION_AS_OF": _behind_table,
    "WITH_ORDINALITY": _behind_parenthesis,
    "WITH_ROLLUP": _not_a_common_table,
    "WITH_CUBE": _not_a_common_table,
    "WATERMARK_FOR": _before_name_and_as,
    "APPROX_NEAREST": _before_number_or_by,
    "EXACT_NEAREST": _before_number_or_by,
    "THEN_REVISE": _behind_emit,
    "BY_DISTANCE": _behind_nearest,
    "BY_SIMILARITY": _behind_nearest,
    **{
        phrase + what: guard
        for phrase, guard in (("CHANGES_FROM_", _begins_change_feed), ("TO_", _in_change_feed))
        for what in ("VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME")
    },
    **{
        f"{like}_{which}": _before_parenthesis
        for like in ("LIKE", "ILIKE")
        for which in ("ANY", "SOME", "ALL")
    },
}
