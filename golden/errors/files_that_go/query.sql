-- Files that one reader removes, and another may not have read: two clocks are two queries.
CREATE SOURCE orders (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'orders', cleanSource 'delete');
CREATE SOURCE returns (id INT) USING csv OPTIONS (path './returns', cleanSource 'archive', sourceArchiveDir 'old');
CREATE SOURCE again (id INT) USING csv OPTIONS (path 'returns', cleanSource 'OFF');
CREATE SINK late USING json OPTIONS (path 'late') AS
SELECT id FROM orders WHERE ts + INTERVAL 1 HOUR <= WATERMARK_TS();
CREATE SINK old USING json OPTIONS (path 'old_orders') AS
SELECT id FROM orders WHERE ts + INTERVAL 1 DAY <= mz_now();
SELECT id FROM returns UNION ALL SELECT id FROM again;
