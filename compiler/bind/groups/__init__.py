"""GROUP BY, where a group is final once the clock closes it.

`aggregates.py` which aggregates there are, `grouping_sets.py` several groupings at once,
`sessions.py` and `distinct.py` what Spark forms by itself and what it cannot, `final.py` the
groups.
"""
