"""The first rows of rows that come and go.

`first_rows.py` ORDER BY … LIMIT, `numbers.py` ROW_NUMBER, RANK and DENSE_RANK.
"""
