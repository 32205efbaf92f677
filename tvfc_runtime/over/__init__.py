"""The operator below window functions, and what keeps rows in order of time for others."""
