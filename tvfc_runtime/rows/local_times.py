"""Times of a zone in Spark SQL: up to when they come, where the clocks of the zone change.

A time of a zone is a TIMESTAMP that shows it as if the zone were UTC, as from_utc_timestamp() gives
it. When the clocks go back, some of them come twice; when they go forward, some never come. Spark's
to_utc_timestamp() takes the first of two, and pushes those that never come behind the change.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

_LAST = "local_end - INTERVAL 1 MICROSECOND"
_FIRST = f"to_utc_timestamp({_LAST}, zone)"
_NEXT_DAY = f"{_FIRST} + INTERVAL 24 HOURS"
_SECOND = f"{_LAST} - (from_utc_timestamp({_NEXT_DAY}, zone) - ({_NEXT_DAY}))"

_END = f"""
if(from_utc_timestamp({_SECOND}, zone) = {_LAST}, {_SECOND}, {_FIRST}) + INTERVAL 1 MICROSECOND
"""
"""The second of two; an end amid times that never come is pushed, later than need be."""

_BEFORE = "moment - INTERVAL 1 MICROSECOND"
_THERE = f"from_utc_timestamp({_BEFORE}, zone)"

_UNTIL = f"""
{_THERE} + INTERVAL 1 MICROSECOND + ({_BEFORE} - to_utc_timestamp({_THERE}, zone))
"""
"""While times come for the second time, it is up to as much later as the clocks go back."""

_BODIES = {
    "local_end": ("local_end", _END, "from when times of a zone before an end come no more"),
    "local_until": ("moment", _UNTIL, "the end of the times of a zone that are before a moment"),
}
_UTC = frozenset({"UTC", "ETC/UTC", "GMT", "Z", "+00:00"})


def define(expression: str) -> None:
    """Define, in the session that is active, those of the functions that an expression calls.

    `tvfc_local_end(moment, zone)` and `tvfc_local_until(moment, zone)`, and the same of the zone of
    the session: `tvfc_session_end(moment)`, `tvfc_session_until(moment)`, which have nothing to do
    in UTC.
    """
    if "tvfc_" not in expression:
        return
    spark = SparkSession.active()
    is_utc = (spark.conf.get("spark.sql.session.timeZone") or "").upper() in _UTC
    for name, (moment, body, comment) in _BODIES.items():
        own = moment if is_utc else body.replace("zone", "current_timezone()")
        functions = {
            f"tvfc_{name}": (f"{moment} TIMESTAMP, zone STRING", body),
            f"tvfc_{name.replace('local', 'session')}": (f"{moment} TIMESTAMP", own),
        }
        for function, (parameters, value) in functions.items():
            if f"{function}(" in expression:
                spark.sql(
                    f"CREATE OR REPLACE TEMPORARY FUNCTION {function}({parameters}) "
                    f"RETURNS TIMESTAMP COMMENT '{comment}' RETURN {value}"
                )
