-- A star stands for the columns of FROM, and there is none.
CREATE SOURCE s (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 's');

SELECT * WHERE EXISTS (SELECT 1 FROM s WHERE id > 1);
