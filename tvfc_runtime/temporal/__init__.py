"""The temporal operator: rows are in the result while the clock is in one of their intervals."""
