"""GROUP BY, where groups change with the rows that come and go.

`totals.py` the groups, `keys.py` what stands for their keys, `calls.py` aggregates and their
FILTERs, `forms.py` those that are called with more than values, `expanded.py` several groupings at
once, `pivots.py` PIVOT, `refusals.py` what cannot be kept up.
"""
