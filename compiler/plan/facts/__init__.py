"""Facts that follow from a plan node or a source.

`properties.py` what of the clock its rows know and whether they stay, `state.py` what is kept for
it, `columns.py` what its columns are called; `sources.py` and `sessions.py` what its rows are;
`first_partners.py` where one partner settles a row.
"""
