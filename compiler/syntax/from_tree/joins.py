"""Joins: their kinds, their conditions, and what cannot be joined so."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax.from_tree.relations import lateral
from compiler.syntax.nodes import NearestRelation
from compiler.syntax.refusal import RefusalError

_MOST_NEAREST = 100_000


def join(
    natural: str | None,
    kind: tuple[str | None, str | None] | None,
    lateral_: str | None,
    item: exp.Expression,
    criteria: tuple[str, Any] | None,
) -> exp.Join:
    """`[NATURAL] LEFT JOIN item ON ...`."""
    side, what = kind or (None, None)
    if criteria is not None and criteria[0] == "nearest":
        return _nearest_join(natural, side, what, lateral_, item, criteria[1])
    _check_criteria(natural, lateral_, criteria)
    _check_kind(natural, lateral_, side, what)
    if criteria is not None and item.args.get("pivots"):
        raise RefusalError(
            "TVF112",
            "what PIVOT or UNPIVOT gives has no join condition",
            item.args["pivots"][0].meta.get("span"),
            help="join a subquery: JOIN (SELECT * FROM b PIVOT (...)) AS p ON ...",
        )
    node = exp.Join(this=lateral(item) if lateral_ else item, method=natural, side=side, kind=what)
    if criteria is not None:
        node.set(*criteria)
    elif not natural and what in (None, "INNER", "OUTER"):
        node.set("on", exp.Boolean(this=True))
    return node


def asof_join(
    kind: tuple[str | None, str | None] | None,
    item: exp.Expression,
    condition: exp.Expression,
    criteria: tuple[str, Any] | None,
) -> exp.Join:
    """`ASOF LEFT JOIN item MATCH_CONDITION (a.ts >= b.ts) ON …`."""
    side, what = kind or (None, None)
    if side not in (None, "LEFT") or what not in (None, "INNER", "OUTER"):
        raise RefusalError(
            "TVF112",
            "ASOF goes with an inner or a left join",
            help="write a ASOF JOIN b MATCH_CONDITION (a.ts >= b.ts) ON …, or ASOF LEFT JOIN",
        )
    node = exp.Join(this=item, method="ASOF", side=side, kind=what, match_condition=condition)
    if criteria is not None:
        node.set(*criteria)
    return node


def nearest(
    phrase: str, count: exp.Expression | None, measure: str, expression: exp.Expression
) -> tuple[str, dict[str, Any]]:
    """`APPROX NEAREST 5 BY DISTANCE expression`."""
    if count is not None and not (count.is_int and 1 <= int(count.name) <= _MOST_NEAREST):
        raise RefusalError(
            "TVF107",
            f"a row is joined with 1 to {_MOST_NEAREST} nearest ones",
            count.meta.get("span"),
            help="write APPROX NEAREST 5 BY DISTANCE expression",
        )
    found = {"exact": phrase.startswith("EXACT"), "measure": measure.removeprefix("BY ")}
    return "nearest", {**found, "count": count, "expression": expression}


def _nearest_join(
    natural: str | None,
    side: str | None,
    kind: str | None,
    lateral_: str | None,
    item: exp.Expression,
    how: dict[str, Any],
) -> exp.Join:
    if natural or lateral_ or side not in (None, "LEFT") or kind not in (None, "INNER", "OUTER"):
        raise RefusalError(
            "TVF112",
            "NEAREST goes with an inner or a left join, neither NATURAL nor LATERAL",
            help="write JOIN b APPROX NEAREST 5 BY DISTANCE expression, or LEFT JOIN",
        )
    # sqlglot would print an inner join without condition as a comma.
    return exp.Join(
        this=NearestRelation(this=item, **how), side=side, kind=kind or (None if side else "INNER")
    )


def _check_criteria(
    natural: str | None, lateral_: str | None, criteria: tuple[str, Any] | None
) -> None:
    if natural and criteria is not None:
        raise RefusalError(
            "TVF112",
            f"a NATURAL join has no {criteria[0].upper()}: it joins on all columns of one name",
            help="leave out NATURAL, or the condition",
        )
    if lateral_ and criteria is not None and criteria[0] == "using":
        raise RefusalError(
            "TVF112", "a LATERAL join has no USING", help="write the condition with ON"
        )


def _check_kind(
    natural: str | None, lateral_: str | None, side: str | None, kind: str | None
) -> None:
    if natural and (lateral_ or kind in ("CROSS", "SEMI", "ANTI")):
        other = "LATERAL" if lateral_ else kind
        raise RefusalError(
            "TVF112",
            f"a join is NATURAL or {other}, not both",
            help=f"leave out NATURAL or {other}",
        )
    if lateral_ and (side in ("RIGHT", "FULL") or kind in ("SEMI", "ANTI")):
        word = kind if kind in ("SEMI", "ANTI") else side
        raise RefusalError(
            "TVF112",
            f"a {word} join cannot be LATERAL",
            help="use INNER, CROSS or LEFT: the rows on the left come first",
        )


def join_type(*words: str | None) -> tuple[str | None, str | None]:
    """Side and kind, as sqlglot keeps them."""
    given = [word for word in words if word]
    side = given[0] if given[0] in ("LEFT", "RIGHT", "FULL") else None
    kind = given[-1] if given[-1] != side else None
    return side, kind


def join_on(condition: exp.Expression) -> tuple[str, exp.Expression]:
    """`ON condition`."""
    return "on", condition


def join_using(names: list[exp.Identifier]) -> tuple[str, list[exp.Identifier]]:
    """`USING (a, b)`."""
    return "using", names


RULES: tuple[Any, ...] = (
    asof_join,
    join,
    join_on,
    join_type,
    join_using,
    nearest,
)
