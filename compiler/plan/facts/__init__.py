"""Facts that follow from a plan node or a source.

`properties.py` what of the clock its rows know and whether they stay, `state.py` what is kept for
it; `sources.py` and `sessions.py` what its rows are; `beside_clock.py` which streams do not move
the clock, `first_partners.py` where one partner settles a row.
"""
