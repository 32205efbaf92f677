"""LATERAL: `joins.py` a subquery for each row, `generators.py` functions that make rows."""
