"""Release plan to release plan: `timings.py`, how often an operator says what has changed."""
