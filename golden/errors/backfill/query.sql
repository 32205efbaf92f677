-- A history needs files, a place, a source that can wait for it and one watermark.
CREATE SOURCE a (id BIGINT) USING json OPTIONS (path 'new', backfill.path 'old');
CREATE SOURCE b (id BIGINT) USING json OPTIONS (path 'new', backfill 'delta', backfill.path 'old');
CREATE SOURCE c (id BIGINT) USING json OPTIONS (path 'new', backfill 'parquet');
CREATE SOURCE d (id BIGINT) USING rate OPTIONS (backfill 'parquet', backfill.path 'old');
CREATE TABLE e (id BIGINT) USING json OPTIONS (path 'new', backfill 'parquet', backfill.path 'old');
CREATE SOURCE f (id BIGINT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts PER k)
USING json OPTIONS (path 'new', backfill 'parquet', backfill.path 'old');
CREATE SOURCE g (id BIGINT, PRIMARY KEY (id)) USING kafka
OPTIONS (topic 'g', kafka.bootstrap.servers 'b:1', backfill 'json', backfill.path 'old')
FORMAT UPSERT ENCODE JSON;
CREATE SOURCE h (id BIGINT) USING json
OPTIONS (path 'new', backfill 'parquet', backfill.path 'old', backfill.maxFilesPerTriger '5');
SELECT id FROM a;
