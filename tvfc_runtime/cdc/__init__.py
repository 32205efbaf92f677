"""Sources of changes: records that say what has become of rows, as rows that come and go.

records.py     what is read: a text of a file or of Kafka, and where it stands
reads.py       what is read for a value of a type, and why it would not stay the same
unavailable.py what stands for a value that the database has not logged
values.py      columns of an image of a row, out of what JSON has of them
debezium.py    records of Debezium, Maxwell, and rows by key, as images of rows
maxwell.py
upserts.py
images.py      images as changes: `__diff` if they say what a row was, else `__gone`
changelog.py   the rows of a changelog, each with its `_diff`
"""
