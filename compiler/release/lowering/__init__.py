"""Rules by which a node of a plan becomes steps.

`emitted.py` what is computed as rows leave, `lifetimes.py` how long joins keep rows, `sessions.py`
sessions in one operator, `step_names.py` what a step is called, `wholly_read.py` which rows go
through a shuffle before state.
"""
