-- Every row brings its own time to live; the bound is on the clock's side.
CREATE SOURCE cache (k STRING, written TIMESTAMP, ttl INT) USING json OPTIONS (path 'cache');
SELECT k FROM cache WHERE mz_now() - ttl * INTERVAL 1 SECOND < written;
