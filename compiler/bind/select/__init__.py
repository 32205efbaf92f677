"""SELECT lists: `items.py`."""
