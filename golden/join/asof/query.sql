-- Each trade with the quote of its time, and how much that differs from the price.
CREATE SOURCE trades (id BIGINT, symbol STRING, price DECIMAL(10, 2), ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'in/trades');

CREATE SOURCE quotes (symbol STRING, bid DECIMAL(10, 2), ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)
USING parquet OPTIONS (path 'in/quotes');

CREATE SINK priced USING parquet OPTIONS (path 'out') AS
SELECT t.id, t.ts, t.price - q.bid AS over_bid, q.ts AS quoted_at
FROM trades AS t
ASOF LEFT JOIN quotes AS q MATCH_CONDITION (t.ts >= q.ts) ON t.symbol = q.symbol
EMIT ON WINDOW CLOSE;
