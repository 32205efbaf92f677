"""What lies in a checkpoint beside Spark's own: who a job is, and whether all is whole."""
