"""A page in the browser that shows what a running job does: `--ui [HOST:]PORT`.

It reads and changes nothing. In order of flow:

    graph.py      the plan of a query as nodes and edges, from the description of its state
    holders.py    which node holds the rows that an operator of the counters holds
    history.py    what has become of the counters, batch by batch, in bounded memory
    shown.py      all that the page is told, as plain data
    watched.py    looks at the counters, and wakes those who wait for news
    server.py     HTTP: the files in static/, and a stream of events

The files of the page are read as resources of this package, so that they are found in
`tvfc_runtime.zip`, too. Those in static/vendor are other people's; their licences lie beside them.
"""
