-- TPC-H Q3, live: open orders of the last 90 days by revenue, those not yet shipped.
CREATE SOURCE orders (o_orderkey BIGINT, o_custkey BIGINT, o_orderdate TIMESTAMP)
USING parquet OPTIONS (path 'orders');
CREATE SOURCE lineitem (
  l_orderkey BIGINT, l_extendedprice DECIMAL(12, 2), l_discount DECIMAL(4, 2), l_shipdate TIMESTAMP
) USING parquet OPTIONS (path 'lineitem');
CREATE TABLE customer (c_custkey BIGINT, c_mktsegment STRING)
USING parquet OPTIONS (path 'customer');
SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate
FROM orders AS o
JOIN lineitem AS l ON l_orderkey = o_orderkey
JOIN customer AS c ON c_custkey = o_custkey
WHERE c_mktsegment = 'BUILDING'
  AND mz_now() >= o_orderdate AND mz_now() < o_orderdate + INTERVAL 90 DAYS
  AND mz_now() < l_shipdate
GROUP BY l_orderkey, o_orderdate
ORDER BY revenue DESC, o_orderdate
LIMIT 10;
