"""Plan -> release plan: when is each row in the result?

`nodes.py` the data, `algebra.py` predicates to intervals of the clock, `from_plan.py` plans to
steps, `explain.py` how that is shown.
"""
