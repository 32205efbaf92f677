"""The operator that fills windows without rows."""
