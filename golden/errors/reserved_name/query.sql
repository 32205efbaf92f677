-- Names that begin with two underscores are those of columns that the job adds.
CREATE SOURCE orders (id BIGINT, `__time` TIMESTAMP, place STRUCT<__x: INT>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');

SELECT id AS __due, place.__x FROM orders;
