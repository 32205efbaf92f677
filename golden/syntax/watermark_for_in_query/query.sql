-- WATERMARK FOR in a query
SELECT * FROM orders WATERMARK FOR ts AS ts
