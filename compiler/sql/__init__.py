"""Expressions in SQL: made, read, compared and shown.

`exprs.py` an expression in a plan: text, type and what it reads; `names.py` names of columns,
`texts.py` text to expressions and back, `inference.py` types, with `structs.py` and
`signatures.py`; `constants.py` numbers and `lengths.py` lengths of time, computed exactly;
`spelling.py` one spelling of what can be written in several ways.
"""
