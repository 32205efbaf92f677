-- A changing result into sinks that take rows for good, by their mode or their format.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK strict USING json OPTIONS (path 'strict', mode 'append') AS
SELECT name, count(*) AS n FROM orders GROUP BY name;
CREATE SINK foreign USING jdbc OPTIONS (url 'jdbc:postgresql:db', dbtable 'counts') AS
SELECT name, count(*) AS n FROM orders GROUP BY name;
