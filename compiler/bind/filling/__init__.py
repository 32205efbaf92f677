"""`TUMBLE(…) FILL (…)`: windows without rows.

`groups.py` the groups, `times.py` when the clock closes them, `refusals.py` what is not taken.
"""
