"""SELECT lists: `items.py`; `assignments.py` those of `|> SET`."""
