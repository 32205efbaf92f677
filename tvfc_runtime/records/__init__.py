"""Records of Kafka: their values as rows, and rows as their values.

registry.py       schemas by their number, from a schema registry
avro_schemas.py   the schema of a record, and that of the reader
avro_values.py    values of Avro as those of declared types
avro_read.py      Avro in Arrow: a column of records to a column of rows
avro_write.py     rows as Avro; the schema that they are written with
read.py           the fields of a source out of `value`, by its ENCODE
encode.py         the value of a record out of a row, by the ENCODE of a sink
"""
