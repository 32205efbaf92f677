-- Rows of a table that no stream asks for are there from the start: known devices that are silent.
CREATE TABLE devices (id STRING, name STRING, place STRING) USING parquet OPTIONS (path 'devices');
CREATE SOURCE signals (id STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'signals');
SELECT d.id, d.name
FROM devices AS d
WHERE NOT EXISTS (SELECT 1 FROM signals AS s WHERE s.id = d.id AND mz_now() < s.ts + INTERVAL 5 MINUTES);
