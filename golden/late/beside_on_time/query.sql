-- Late rows are a relation, read in the query that also has the rows on time.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');

SELECT id, 'in time' AS how FROM orders
UNION ALL
SELECT id, concat('below ', _watermark) AS how FROM LATE(orders);
