"""Sessions of keys, kept as one row each with what is aggregated so far, and final by the clock.

operator.py  rows to sessions: before the shuffle, in state, and as they leave
merged.py    which sessions of a key are one
partials.py  what is known of the rows of a session, put together, and results out of it
wanted.py    what a job asks for, and whether Spark's own session_window is to do it
"""
