"""A changed query on what another one has kept: what becomes of each part, and a checkpoint for it.

    queries.py     the query of a checkpoint and the new one, compiled by this version
    stand_ins.py   their jobs over sources that have what is put there, to look at and to try out
    anatomy.py     which stateful operators and sources Spark finds in them, by number
    identity.py    what tells operators whose state is the same from others
    compare.py     what becomes of operators, sources and sinks: same, converted, needs history, …
    file_sinks.py  folders of files, which Spark lists by batches
    conversion.py  rows that a delay holds, planned anew
    trial.py       batches of the new query beside all checkpoints, for state that it would have
    replay.py      the same over the history of the sources
    store_files.py the files of a checkpoint that its last batch needs
    takeover.py    one query in place of another, with all that
    parts.py       what is said of each part
    stocks.py      for each operator the state that it begins with
    assembly.py    the new checkpoint
    taken_over.py  all queries of a job, as the commands show them

State is carried over as Spark has written it: an operator of a checkpoint has a folder of its own,
and Spark finds it by its number in the plan. So the folder of an operator that keeps the same is
copied, under the number that the new plan has for it. What is not the same comes from a trial: the
new query runs some batches on a checkpoint of its own, over the rows that were held or over the
history of its sources, with no sink, and the folders of those operators are taken from there. So
nothing but Spark ever writes state, and of its form no more is known here than the names of files.
"""
