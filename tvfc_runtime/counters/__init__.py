"""What a running query has done and holds: counters that its plan observes, batch by batch."""
