"""When the words of a phrase are none: one question a phrase, asked with the tokens beside it.

The raw words stand side by side; a guard gets the walk of keywords.py and the place of the last of
them, and answers whether they are the phrase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.syntax.keyword_lists import RESERVED, word_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.keywords import Retagger


def _after_create(tagger: Retagger, _last: int) -> bool:
    return tagger.previous() == "CREATE"


def _after_is(tagger: Retagger, _last: int) -> bool:
    return tagger.previous() in ("IS", "NOT")


def _before_parenthesis(tagger: Retagger, last: int) -> bool:
    return tagger.after(last) == "("


def _behind_table(tagger: Retagger, _last: int) -> bool:
    """Behind a name, which may be a word of the grammar: items VERSION AS OF 3."""
    kind = tagger.previous()
    if kind in ("NAME", "QUOTED_NAME", ")", "FOR"):
        return True
    return kind in word_types() and kind not in RESERVED and kind not in ("DISTINCT", "ALL")


def _behind_parenthesis(tagger: Retagger, _last: int) -> bool:
    return tagger.previous() == ")"


def _not_a_common_table(tagger: Retagger, last: int) -> bool:
    return tagger.after(last) not in ("AS", "(")


def _before_name_and_as(tagger: Retagger, last: int) -> bool:
    """Not the column `watermark` in UNPIVOT (watermark FOR name IN (…))."""
    after = tagger.after(last, 2)
    return after == "AS" or (tagger.previous() in ("(", ",", ")") and after != "IN")


def _begins_change_feed(tagger: Retagger, last: int) -> bool:
    """`t CHANGES FROM VERSION 1`, not a column or an alias `changes` from a table `version`."""
    after = tagger.after(last)
    is_call = tagger.is_name(last + 1) and tagger.after(last, 2) == "("
    return _behind_table(tagger, last) and (after in ("NUMBER", "STRING", "CAST", "(") or is_call)


def _in_change_feed(tagger: Retagger, _last: int) -> bool:
    return any(kind.startswith("CHANGES_FROM") for kind in tagger.out.types)


def _before_number_or_by(tagger: Retagger, last: int) -> bool:
    return tagger.after(last) in ("NUMBER", "BY")


def _behind_nearest(tagger: Retagger, _last: int) -> bool:
    return any(kind.endswith("_NEAREST") for kind in tagger.out.types[-2:])


def _behind_emit(tagger: Retagger, _last: int) -> bool:
    """Not the THEN of a CASE with a column `revise`."""
    return tagger.previous() == "EMIT_ON_WINDOW_CLOSE"


PHRASE_GUARDS: dict[str, Callable[[Retagger, int], bool]] = {
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
