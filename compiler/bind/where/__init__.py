"""WHERE, HAVING and QUALIFY.

`filters.py` what a row decides alone, and what waits for the clock; `temporal.py` the latter.
"""
