"""Plans and release plans as text, for those who read `tvfc explain`.

`plan.py` the tree of a plan and what is known of its result, with `match.py` for row patterns;
`nodes.py` the table of what is known of each node; `release.py` when rows leave.
"""
