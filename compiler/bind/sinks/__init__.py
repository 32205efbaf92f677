"""CREATE SINK.

`declare.py` the declaration and what it makes of a result that changes, `formats.py` what formats
can do.
"""
