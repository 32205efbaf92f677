"""EMIT: `revisions.py` THEN REVISE, `throttles.py` EMIT CHANGES EVERY, `orders.py` ORDER BY."""
