"""Random window functions over frames, in the dialects of Spark and of DuckDB."""

from __future__ import annotations

from random import Random

from oracle.dialects import Pair, both, either

FRAMES = (
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING",
)
RANGES = (
    "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND 2 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)


def framed(rng: Random, order: str) -> Pair:
    """A window function over columns of `oracle.queries`.

    Args:
        rng: where chance comes from.
        order: sort keys that leave no two rows apart alike.
    """
    partition = rng.choice(("PARTITION BY k", "PARTITION BY p", "PARTITION BY k, p", ""))
    kinds = (_over_rows, _over_ranges, _of_known_values, _of_places)
    return rng.choice(kinds)(rng, partition, order)


def _over_rows(rng: Random, partition: str, order: str) -> Pair:
    calls = ("sum(v)", "count(v)", "min(v)", "max(id)", "first_value(id)", "last_value(v)")
    return both(f"{rng.choice(calls)} OVER ({partition} ORDER BY {order} {rng.choice(FRAMES)})")


def _over_ranges(rng: Random, partition: str, _order: str) -> Pair:
    call = rng.choice(("sum(v)", "count(*)", "max(v)"))
    return both(f"{call} OVER ({partition} ORDER BY id {rng.choice(RANGES)})")


def _of_known_values(rng: Random, partition: str, order: str) -> Pair:
    name = rng.choice(("first_value", "last_value", "lead"))
    frame = "" if name == "lead" else rng.choice(FRAMES)
    over = both(f"OVER ({partition} ORDER BY {order} {frame})")
    return either(f"{name}(v) IGNORE NULLS {{}}", f"{name}(v IGNORE NULLS) {{}}", over)


def _of_places(rng: Random, partition: str, order: str) -> Pair:
    return both(
        rng.choice(
            (
                f"nth_value(id, 2) OVER ({partition} ORDER BY {order} {FRAMES[0]})",
                f"round(100 * percent_rank() OVER ({partition} ORDER BY v))",
                f"round(100 * cume_dist() OVER ({partition} ORDER BY v DESC))",
                f"count(*) FILTER (WHERE p) OVER ({partition} ORDER BY ts)",
                f"lag(v, 2, 7) OVER ({partition} ORDER BY {order})",
                f"ntile(3) OVER ({partition} ORDER BY {order})",
            )
        )
    )
