"""When a condition on the clock is true for a row.

`predicates.py` conditions as a small algebra over ordinary SQL, `algebra.py` from them to branches,
`branches.py` a guard and an interval of clock values each, `absorption.py` unions of them without
those that add nothing.
"""
