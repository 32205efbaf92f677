"""What is inside a checkpoint: the rows that operators hold, and what becomes of a row.

state_store.py    the state of each operator as Spark reads it: texts of chunks, rows of Spark's own
opened.py         chunks as tables: when rows are due, how often they are there, their columns
named.py          which operator of the query that is, and what it calls its columns
relation.py       all of it as one relation, and how that is printed
held.py           what `tvfc why` says of rows that are held
source_files.py   the rows of a source's files, and the batch that has read each file
dry_job.py        the job built over single rows, to see how far each comes
fate.py           what `tvfc why` says of rows of a source

All of it reads only.
"""
