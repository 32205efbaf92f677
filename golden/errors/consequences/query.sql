-- One cause, one diagnostic: what follows from an error in its statement goes unsaid.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE plain (id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'plain');

CREATE VIEW two_clocks AS
SELECT window_start, count(*) AS n, mz_now() AS at
FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) WHERE mz_now() < ts GROUP BY window_start EMIT ON WINDOW CLOSE;
CREATE VIEW not_supported AS SELECT id FROM plain TABLESAMPLE (1 PERCENT) WHERE ts <= WATERMARK_TS();
CREATE VIEW without_watermark AS SELECT p.id FROM plain p JOIN plain q ON p.id = q.id EMIT ON WINDOW CLOSE;
CREATE VIEW unknown AS SELECT lenght(id + ts) AS n FROM orders;
SELECT * FROM two_clocks;
