-- WATERMARK lacks its strategy
SELECT * FROM WATERMARK(orders, ts)
