"""ASOF JOIN: `joins.py`, with what it compares in `matches.py`.

FOR SYSTEM_TIME AS OF, which is one: `versions.py`.
"""
