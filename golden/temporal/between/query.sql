-- Shifts while the wall clock is in them.
CREATE SOURCE shifts (nurse STRING, starts TIMESTAMP, ends TIMESTAMP)
USING parquet OPTIONS (path 'shifts');
SELECT nurse FROM shifts WHERE mz_now() BETWEEN starts AND ends;
