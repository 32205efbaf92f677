"""Windows that overlap, counted in panes: each row goes into one pane, and panes into windows.

Rows of a key are aggregated where they are, into parts of the panes in which they lie (`partials`);
state holds a row for each key and pane (`kept`), and a window that closes is put together from its
panes (`grids`, `step`). `operator` is all that on Spark, `calls` what SQL's aggregates are made of.
Li, Maier, Tufte, Papadimos, Tucker: No pane, no gain (2005).
"""
