-- Columns of every kind travel through the delay as they are.
CREATE SOURCE readings (
  id BIGINT, small TINYINT, ratio DOUBLE, amount DECIMAL(38, 18), raw BINARY, ok BOOLEAN, day DATE,
  local TIMESTAMP_NTZ, pause INTERVAL DAY TO SECOND, tags ARRAY<STRING>, notes MAP<STRING, INT>,
  place STRUCT<lat: DOUBLE, lon: DOUBLE, names: ARRAY<STRUCT<lang: STRING, name: STRING>>>,
  at TIMESTAMP,
  WATERMARK FOR at AS at
) USING json OPTIONS (path 'readings', badRows 'fail');

SELECT * FROM readings WHERE at <= WATERMARK_TS();
