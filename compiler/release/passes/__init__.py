"""Release plan to release plan; each file is a pass, and begins with a Before and an After.

In the order of the pipeline: `end_joins.py` how long joins keep rows that leave, `read_wholly.py`
which rows go through a shuffle before a join with a table, `time_changes.py` how often an operator
says what has changed.
"""
