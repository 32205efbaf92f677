"""Relations in FROM that are no joins.

`derived.py` relations made of relations: renamed, put together, closed by the clock;
`watermarks.py` WATERMARK(…) and DELAY OF, `late.py` LATE(…), `bad.py` BAD(…), `static.py` tables
alone.
"""
