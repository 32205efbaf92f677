"""Plan to plan; each file is a pass, and begins with a Before and an After.

In the order of the pipeline: `limit_numberings.py` and `number_whole_partitions.py` how far
ROW_NUMBER and its kin count, `run_on_wall_clock.py` queries on the wall clock, `take_late_rows.py`
and `share_scans.py` late rows and bad records beside those of their source, `join_outputs.py` which
outputs one streaming query writes, `mark_beside_clock.py` streams that do not move its clock,
`warn_of_costs.py` state that grows without bound; then, of what rows carry while they are held,
`emit_clock.py` and `carry_time.py`. A pass takes a program and where to report what is at fault,
and gives a program; `each.py` changes plan by plan. `closed_columns.py` answers which columns of a
node the clock closes, and in which order its rows come.
"""
