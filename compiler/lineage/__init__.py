"""Which columns of the sources each column of a result is made of, and what else its rows hang on.

In the order of flow: origins.py the facts · expressions.py those of an expression · traced.py those
of a plan · shown.py as text and as data.
"""
