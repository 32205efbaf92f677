-- Quotes, backslashes and line breaks in strings; comments are not part of the SQL.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT 'it\'s' AS a, "a 'quoted' word" AS b, 'back\\slash' AS c, 'three """ quotes' AS d,
       /* a comment */ name || 'x
y' AS e -- another
FROM orders
WHERE name <> '-- no comment' AND ts <= WATERMARK_TS();
