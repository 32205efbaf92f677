"""Rules by which a node of a plan becomes steps.

`items.py` columns of SELECT lists, `sessions.py` sessions in one operator, `step_names.py` what a
step is called.
"""
