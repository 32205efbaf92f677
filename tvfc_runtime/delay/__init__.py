"""The delay operator: a row leaves once the clock has reached its due time."""
