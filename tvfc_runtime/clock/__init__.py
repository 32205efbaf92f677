"""W(N), the clock of a batch: the watermark of the sources, or the wall clock."""
