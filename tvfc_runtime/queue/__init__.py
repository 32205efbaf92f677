"""Rows by due time in the state of a shard, as Arrow chunks."""
