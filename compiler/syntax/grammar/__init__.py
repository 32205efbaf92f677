"""grammar/*.lark to parse tables.

`build.py` makes them with lark, `tables.py` keeps and finds them, `document.py` writes the grammar
into docs/language.md.
"""
