"""Rules by which a node of a plan becomes steps.

`inputs.py`, `final.py` and `changing.py` a node as a step, `sessions.py` sessions in one operator;
`items.py` columns of SELECT lists, `step_names.py` what a step is called.
"""
