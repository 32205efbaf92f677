-- One job reads what another one has told, by mz_now().
CREATE SOURCE counts (status STRING, n BIGINT, seen TIMESTAMP) USING parquet OPTIONS (path 'counts', mode 'changelog');

SELECT status, n FROM counts WHERE mz_now() < seen + INTERVAL 1 DAY;
