-- EXISTS, IN and values of a stream where they have no meaning yet: in ON, and in final rows.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bids (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE VIEW final AS SELECT id FROM orders AS o WHERE NOT EXISTS (SELECT 1 FROM bids AS b WHERE b.id = o.id) EMIT ON WINDOW CLOSE;
CREATE VIEW absent AS SELECT id FROM orders WHERE NOT (id IN (SELECT id FROM bids)) EMIT ON WINDOW CLOSE;
CREATE VIEW either AS SELECT id FROM orders AS o WHERE id > 3 OR EXISTS (SELECT 1 FROM bids AS b WHERE b.id = o.id) EMIT ON WINDOW CLOSE;
CREATE VIEW told AS SELECT id, id IN (SELECT id FROM bids) AS bid FROM orders EMIT ON WINDOW CLOSE;
CREATE VIEW joined AS SELECT o.id FROM orders AS o LEFT JOIN bids AS b ON o.id = b.id AND b.id > (SELECT min(id) FROM bids);
SELECT id FROM orders WHERE id > (SELECT max(id) FROM bids) EMIT ON WINDOW CLOSE;
