"""Which columns of the sources each column of a result is made of, and what else its rows hang on.

What is not understood is made of all that it may read: lineage may name a column too many, and
leaves none out.

In the order of flow: origins.py the facts · expressions.py those of an expression · rows.py those
of rows · over.py, matches.py, static.py and traced.py those of plan nodes · shown.py text and data.
"""
