-- What was ordered and not delivered, once no more orders or deliveries of that day can come.
CREATE SOURCE orders (item STRING, day DATE, WATERMARK FOR day AS day) USING json OPTIONS (path 'orders');
CREATE SOURCE deliveries (item STRING, day DATE, WATERMARK FOR day AS day) USING json OPTIONS (path 'deliveries');
SELECT item, day FROM orders EXCEPT ALL SELECT item, day FROM deliveries EMIT ON WINDOW CLOSE;
