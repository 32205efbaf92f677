"""What joins of streams, and of streams with tables, need beside Spark's own."""
