"""Operators on changing relations.

A changing relation travels as updates: rows with `__time BIGINT`, the clock value in milliseconds
at which the truth has changed, and `__diff INT`, how many rows more (+n) or less (-n) there are.
"""
