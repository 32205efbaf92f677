-- On the right side the time is another one: an old value of it may still come.
CREATE SOURCE a (k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'a');
CREATE SOURCE b (k STRING, at TIMESTAMP, seen TIMESTAMP, WATERMARK FOR at AS at) USING json OPTIONS (path 'b');
SELECT k, ts FROM a INTERSECT SELECT k, seen FROM b EMIT ON WINDOW CLOSE;
