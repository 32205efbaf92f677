"""MATCH_RECOGNIZE.

`match.py` the relation, `pattern.py` PATTERN and SUBSET, `rows.py` the names in it, `terms.py`
DEFINE and MEASURES, `refusals.py` what is not taken.
"""
