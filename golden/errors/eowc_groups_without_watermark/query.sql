-- Groups that should be final, over a source without a watermark.
CREATE SOURCE plain (day DATE, zone STRING) USING parquet OPTIONS (path 'plain');
SELECT zone, count(*) AS n FROM plain GROUP BY zone, day EMIT ON WINDOW CLOSE;
