-- LATERAL VIEWs that make no rows, or not those that are named.
CREATE SOURCE orders (id BIGINT, items ARRAY<STRING>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
CREATE VIEW numbers AS SELECT x FROM orders LATERAL VIEW explode(id) t AS x;
CREATE VIEW names AS SELECT x FROM orders LATERAL VIEW explode(items) t AS x, y;
CREATE VIEW upper_case AS SELECT x FROM orders LATERAL VIEW upper(items) t AS x;
CREATE VIEW unnamed AS SELECT id FROM orders LATERAL VIEW explode(from_json(items[0], 'ARRAY<INT>')) t;
SELECT y FROM orders LATERAL VIEW explode(items) t AS x;
