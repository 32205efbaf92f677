-- Keys with a collation: the operator below window functions compares bytes.
CREATE SOURCE orders (id INT, ts TIMESTAMP, name STRING COLLATE UTF8_LCASE, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, rank() OVER (PARTITION BY name ORDER BY ts, CAST(id AS STRING) COLLATE UNICODE) AS place
FROM orders EMIT ON WINDOW CLOSE;
