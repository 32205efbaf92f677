"""EMIT: `revisions.py` THEN REVISE, `throttles.py` EMIT CHANGES EVERY."""
