-- Sources and views named as what a job needs itself, or as words of Python.
CREATE SOURCE job (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'job');
CREATE SOURCE class (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'c');
CREATE VIEW `list` AS SELECT id, ts FROM job;
CREATE VIEW due AS SELECT id, ts FROM class;
CREATE VIEW result AS SELECT id, ts FROM `list` UNION ALL SELECT id, ts FROM due;

SELECT id FROM result WHERE ts <= WATERMARK_TS();
