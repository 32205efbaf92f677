"""Plan to plan, and questions to a plan that is whole.

In the order of the pipeline: `warn_of_costs.py` state that grows without bound; `carry_time.py`
rows that leave in order of time carry it. `closed_columns.py` answers which columns of a node the
clock closes, and in which order its rows come.
"""
