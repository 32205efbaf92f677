"""UNION, INTERSECT and EXCEPT: `operations.py`; `final.py` under EMIT ON WINDOW CLOSE."""
