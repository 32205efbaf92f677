"""Subqueries over streams in expressions.

`asked.py` where they stand, `in_conditions.py` EXISTS and IN at any depth, `values.py` and
`sides.py` values of them, by what they are correlated by (`decorrelated.py`, `dependent.py`);
`tuples.py` IN of several values;
`final.py` joins that end, under EMIT ON WINDOW CLOSE; `gathered.py` those over tables that Spark
would gather first; `refusals.py` what is not taken.
"""
