"""ASOF JOIN: `joins.py`; FOR SYSTEM_TIME AS OF, which is one: `versions.py`."""
