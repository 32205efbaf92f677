"""When the clock closes what a query computes.

`expressions.py` values of an expression, `date_parts.py` parts of dates that make a time together,
`time_bounds.py` how far apart the rows of a join are, and `joins.py` what that closes; `delays.py`
and `held.py` rows that wait before they are final; `refusals.py` why groups are never final.
"""
