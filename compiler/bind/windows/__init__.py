"""Windows in FROM and in GROUP BY: `windows.py`."""
