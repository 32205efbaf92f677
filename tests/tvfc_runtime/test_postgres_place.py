"""Where a table of Postgres is: names, URLs, and what is never shown; which columns take what."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import types as t

from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sinks.postgres_place import Place, shown
from tvfc_runtime.sinks.postgres_types import declared, takes

SECRET = "p&w:/ä"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("live", '"live"'),
        ("shop.Live 1", '"shop"."Live 1"'),
        ('"a.b".c', '"a.b"."c"'),
        ('"q""x"; DROP TABLE t', None),
        ('"q""x; DROP TABLE t"', '"q""x; DROP TABLE t"'),
        ("a.b.c", None),
        ("a..b", None),
        ("", None),
        ("ä" * 32, None),
    ],
)
def test_names_of_tables(text: str, named: str | None) -> None:
    if named is None:
        with pytest.raises(SinkError, match="TVF707: sink live: "):
            Place.of("sink live", "live", {"table": text})
    else:
        assert Place.of("sink live", "live", {"table": text}).named == named


def test_options_are_parts_of_the_url() -> None:
    options = {"url": "postgresql://me@h/shop", "password": SECRET, "sslmode": "require"}
    place = Place.of("sink live", "live", options)
    assert place.url == "postgresql://me@h/shop?password=p%26w%3A%2F%C3%A4&sslmode=require"
    only = Place.of("sink live", "live", {"host": "h", "database": "shop"})
    assert only.url == "postgresql://?host=h&dbname=shop"
    with pytest.raises(SinkError, match="begins with postgresql://") as told:
        Place.of("sink live", "live", {"url": f"jdbc:postgresql://me:{SECRET}@h/shop"})
    assert SECRET not in str(told.value)


def test_what_is_secret_is_not_shown() -> None:
    place = Place.of("sink live", "live", {"url": "postgresql://me:a%20b@h/x", "password": SECRET})
    text = shown(f"cannot reach {place.url}: 'a b', a%20b, {SECRET}, p%26w%3A%2F%C3%A4", place.url)
    assert text == "cannot reach the url: '***', ***, ***, ***"
    assert "***" not in repr(place)
    assert "a%20b" not in repr(place)


@pytest.mark.parametrize(
    "rest",
    [
        "u:hid@den@h/db",
        "u:hid/den@h/db",
        "u:hid?den@h/db",
        "u:hid#den@h/db",
        "h/db?user=u&password=hid@den",
        "h?user=u&password=hid@den",
        "u:hid@",
        "u:hidden",
        "u:hidden/db",
        "u:hid%zzden@h/db",
        "u:hid den@h/db",
        "u:hid:den@127.0.0.1:1/db",
    ],
)
def test_no_part_of_a_password_is_shown(rest: str) -> None:
    with pytest.raises(SinkError, match="TVF707: sink live: ") as told:  # noqa: SIM117
        with Place.of("sink live", "live", {"url": f"postgresql://{rest}"}).connected("sink live"):
            pass
    assert not re.search("hid|den", str(told.value))


@pytest.mark.parametrize(
    ("kind", "found", "is_taken"),
    [
        (t.LongType(), "bigint", True),
        (t.LongType(), "integer", False),
        (t.IntegerType(), "bigint", True),
        (t.LongType(), "double precision", False),
        (t.DecimalType(10, 2), "numeric(12,2)", True),
        (t.DecimalType(10, 2), "numeric(12,1)", False),
        (t.DecimalType(10, 2), "numeric(10,3)", False),
        (t.DecimalType(10, 2), "numeric", True),
        (t.StringType(), "character varying", True),
        (t.StringType(), "character varying(20)", False),
        (t.ArrayType(t.StringType()), "character varying(20)[]", False),
        (t.StringType(), "character(20)", False),
        (t.TimestampType(), "timestamp without time zone", False),
        (t.TimestampType(), "timestamp(3) with time zone", False),
        (t.MapType(t.StringType(), t.LongType()), "json", True),
        (t.ArrayType(t.LongType()), "bigint[]", True),
        (t.ArrayType(t.DecimalType(3, 1)), "jsonb", True),
    ],
    ids=str,
)
def test_columns_take_all_values_or_stop(kind: t.DataType, found: str, *, is_taken: bool) -> None:
    assert takes(declared(kind), found) == is_taken
