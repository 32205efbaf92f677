-- Users with an open session and no open ticket.
CREATE SOURCE users (id BIGINT, name STRING) USING parquet OPTIONS (path 'users');
CREATE SOURCE sessions (user_id BIGINT, since TIMESTAMP, until TIMESTAMP)
USING parquet OPTIONS (path 'sessions');
CREATE SOURCE tickets (user_id BIGINT, closed TIMESTAMP) USING parquet OPTIONS (path 'tickets');
SELECT name FROM users AS u
WHERE EXISTS (SELECT 1 FROM sessions WHERE user_id = u.id AND mz_now() BETWEEN since AND until)
  AND NOT EXISTS (SELECT 1 FROM tickets AS t WHERE t.user_id = u.id AND mz_now() < closed);
