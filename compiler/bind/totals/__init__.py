"""GROUP BY, where groups change with the rows that come and go.

`totals.py` the groups, `forms.py` aggregates that are called with more than values, `expanded.py`
several groupings at once, `refusals.py` what cannot be kept up.
"""
