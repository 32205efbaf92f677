"""When the clock closes a value, so that no more rows with it can come.

`grids.py` the moments that a column can have, `closing.py` how a closing follows for what is
computed from a value.
"""
