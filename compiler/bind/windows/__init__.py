"""Windows of time: in FROM `windows.py`, as keys of GROUP BY `keys.py`; `refusals.py`."""
