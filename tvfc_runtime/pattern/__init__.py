"""MATCH_RECOGNIZE: row patterns over rows in order of time, each match once it is final.

spec.py      what a job says of a MATCH_RECOGNIZE, as data
program.py   a pattern as a program of small instructions, preferred alternatives first
kinds.py     of which kind values are, and what may be done with them
values.py    conditions and measures as functions of a path
folds.py     aggregates over the rows of a match
search.py    whether a match begins at a row, as far as the rows at hand tell
measured.py  what a match gives: places of rows, and values
step.py      the rows of a shard: what leaves at a clock value, and what stays
operator.py  the same on Spark's state store
"""
