"""Records of Kafka: their values as rows, and rows as their values.

registry.py       schemas by their number, from a schema registry
schemas.py        the schema of a record of Avro, and that of the reader
values.py         values of records as those of declared types
avro_read.py      records of Avro as values; protobuf_read.py those of Protobuf
rows.py           both in Arrow: a column of records to a column of rows
avro_write.py     rows as Avro; the schema that they are written with
protobuf_write.py rows as Protobuf
by_plugin.py      records as an installed package reads and writes them
read.py           the fields of a source out of `value`, by its ENCODE
encode.py         the value of a record out of a row, by the ENCODE of a sink
"""
