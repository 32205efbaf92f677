"""How rows travel between Spark and the operators, and what is known of their values."""
