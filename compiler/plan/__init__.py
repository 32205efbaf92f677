"""The plan: what a query means, names resolved, before anyone asks when.

`nodes/` the nodes, `patterns.py` those of row patterns; `conditions/` when a predicate that reads
the clock is true, `closings/` when the clock closes a value, `facts/` what follows from a node:
whether its rows stay, what is kept for them. `check.py` ends a compile whose plan cannot be,
`allowances.py` tells how late rows may be, `written_names.py` knows the compiler's own names by
what the query has for them. `bind/` makes plans, `passes/` change them.
"""
