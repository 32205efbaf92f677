-- WATERMARK_TS takes a name
SELECT id FROM orders WHERE ts <= WATERMARK_TS(1)
