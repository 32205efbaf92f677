"""Queries.

`queries.py` binds them, clause by clause, each in its room, `from_clause.py` what they read;
`calls.py` checks the calls of functions, `refusals.py` says what is not done, `warnings.py` what
will surprise.
"""
