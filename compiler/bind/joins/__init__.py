"""Joins, and rows by whether they have a partner.

`kinds.py` which joins are possible, `terms.py` what the terms of a condition say, `order.py` in
which order relations are joined; `by_spark.py` joins that Spark makes, with `using.py` and
`null_keys.py`; `pairs.py` and `by_partner.py` outer, semi and anti joins, `exists.py` EXISTS and IN
as terms of a WHERE; `from_start.py` tables whose rows count without a stream that asks.
"""
