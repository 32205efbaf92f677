"""Operators on changing relations.

A changing relation travels as updates: rows with `__time BIGINT`, the clock value in milliseconds
at which the truth has changed, and `__diff INT`, how many rows more (+n) or less (-n) there are.

    updates --pack--> changes by shard --transformWithState--> chunks of updates --unpack--> updates

An operator first adds up what a batch changes, then changes its state, then gives what is
different in the result: -1 for each old row, +1 for each new one, at W(N). So neither the order of
a batch nor what cancels out within it matters.

    aggregate.py      GROUP BY; calls.py what a call needs, partial.py what rows change in groups,
                      groups.py and bags.py the state, results.py the results
    multiplicity.py   DISTINCT, INTERSECT, EXCEPT, rows with and without partners
    joins.py          joins of groups and other rows that change
    top.py            ORDER BY … LIMIT and ranks; heads.py its arithmetic
    processor.py      state and the first clock value; output.py the frame around an operator
    leaves.py         sorted tables in state; hashed.py those by hash
    ranks.py          values of any type as integers; exact.py sums without rounding
    rows.py           whole rows on their way; columns.py names

While the clock has no value, changes wait for the first one, since rows that arrive before it
arrive at it. A query that has no clock does not wait; `__time` is the time of the batch then.
"""
