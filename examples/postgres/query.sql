-- Flights in the air for each carrier, as a table in Postgres, and every change of it as a row of
-- another. Names of carriers come from a table there, which each batch reads anew. Where the
-- server is, the environment says: PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD.
CREATE SOURCE flights (
  published TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP, carrier STRING,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../../build/demo/flights');

CREATE TABLE carriers (carrier STRING, name STRING) USING postgres OPTIONS (table 'carriers');

CREATE VIEW in_the_air AS
SELECT f.carrier, c.name, f.arr
FROM flights AS f LEFT JOIN carriers AS c ON c.carrier = f.carrier
WHERE WATERMARK_TS() >= f.dep AND WATERMARK_TS() < f.arr;

CREATE SINK live USING postgres OPTIONS (table 'in_the_air', key 'carrier') AS
SELECT carrier, max(name) AS name, count(*) AS flights, min(arr) AS next_landing
FROM in_the_air GROUP BY carrier;

CREATE SINK history USING postgres OPTIONS (table 'in_the_air_history', mode 'changelog') AS
SELECT carrier, count(*) AS flights FROM in_the_air GROUP BY carrier;
