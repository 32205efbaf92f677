"""Operators on changing relations.

A changing relation travels as updates: rows with `__time BIGINT`, the clock value in milliseconds
at which the truth has changed, and `__diff INT`, how many rows more (+n) or less (-n) there are.

    updates --pack--> changes by shard --transformWithState--> chunks of updates --unpack--> updates

An operator first adds up what a batch changes at each clock value, then changes its state, then
gives what is different in the result: -1 for each old row, +1 for each new one, at every clock
value at which the result is another; or, where only the last state counts, at W(N). So neither the
order of a batch nor what cancels out at a clock value matters.

    aggregate.py      GROUP BY; calls.py what a call needs, partial.py what rows change in groups,
                      groups.py and bags.py the state, values.py bags through the times of a batch,
                      results.py the results
    multiplicity.py   DISTINCT, INTERSECT, EXCEPT, rows with and without partners
    joins.py          joins of groups and other rows that change; join_sides.py and join_spans.py
                      those of keys that change at several clock values of a batch
    top.py            ORDER BY … LIMIT and ranks; heads.py its arithmetic, heads_in_time.py the same
                      as rows come and go
    temporal.py       conditions on the clock over rows that come and go; pending.py the state
    processor.py      state and the first clock value; output.py the frame around an operator
    timing.py         which clock values are told; runs.py and waves.py changes at several of them
    leaves.py         sorted tables in state; hashed.py those by hash
    ranks.py          values of any type as integers; exact.py sums without rounding
    rows.py           whole rows on their way; columns.py names

Changes come at once, also while the clock has no value; `__time` is NULL then. Only where the clock
decides over some rows of an operator and not over others, these wait for its first value.
"""
