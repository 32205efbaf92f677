"""Sources as they are declared: how their records are read, which are bad, and which are late."""
