"""LATERAL: rows with what is made of each of them.

`joins.py` a subquery for each row, `generators.py` functions that make rows, `unpivots.py` UNPIVOT.
"""
