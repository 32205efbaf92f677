"""Two jobs beside each other: what their sinks have, at one value of the clock.

sinks.py       the sinks of a checkpoint: their formats, where they lie, what their rows are
moments.py     the clock value at which two queries are compared, and their batches there
files.py       the rows of a sink of files up to a batch
records.py     the rows of a file, by its format
tables.py      the rows of a table, and the batch that it has
rows.py        in which rows two answers differ
answers.py     all of it for two sinks
exchange.py    two tables that take each other's name, in one transaction
"""
