"""Conditions that read the clock.

`names.py` whose clock is meant, `conditions.py` a condition to a predicate, `solve.py` a comparison
solved for the clock, with constants as numbers (`folding.py`) and moments as rough numbers
(`magnitudes.py`); `choose.py` which clock a query runs on.
"""
