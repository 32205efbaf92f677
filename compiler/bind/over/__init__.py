"""Window functions with OVER.

`frames.py` how far one looks, `keys.py` by what its rows are ordered, `inputs.py` what goes into
it; `final.py` where rows are final, `changing.py` where they come and go, `beside_groups.py` beside
GROUP BY; `refusals.py` what is not taken.
"""
