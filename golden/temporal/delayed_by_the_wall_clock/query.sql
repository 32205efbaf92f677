-- Only lower bounds on the wall clock: rows wait, and stay.
CREATE SOURCE reminders (id INT, due TIMESTAMP) USING parquet OPTIONS (path 'reminders');
SELECT id, mz_now() AS sent FROM reminders WHERE mz_now() >= due;
