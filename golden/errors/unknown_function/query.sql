-- Functions that nobody has, with what they are called here.
CREATE SOURCE readings (id INT, x STRING, a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'readings');

CREATE VIEW a AS SELECT id, arg_max(x, a) AS n FROM readings GROUP BY id;
CREATE VIEW b AS SELECT TUMBLE_START(ts, INTERVAL 1 HOUR) AS t, count(*) AS n FROM readings
  GROUP BY TUMBLE(ts, INTERVAL 1 HOUR);
CREATE VIEW c AS SELECT id, lenght(x) AS n FROM readings;
CREATE VIEW d AS SELECT id FROM readings WHERE ts <= CURRENT_WATERMARK(ts);
SELECT id, classify_with_our_model(x) AS y FROM readings;
