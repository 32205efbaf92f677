-- A number has no unit beside the clock.
CREATE SOURCE jobs (id INT, started_ms BIGINT) USING parquet OPTIONS (path 'jobs');
SELECT id FROM jobs WHERE mz_now() - 5000 < started_ms;
