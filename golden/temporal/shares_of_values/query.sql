-- Medians, percentiles, texts in order and regressions of rows that come and go.
CREATE SOURCE sales (id BIGINT, shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'sales');
SELECT shop, median(amount) AS middle, percentile(amount, array(0.9, 0.99)) AS high,
  percentile_cont(0.1) WITHIN GROUP (ORDER BY amount DESC) AS upper,
  listagg(DISTINCT shop, ', ') WITHIN GROUP (ORDER BY shop DESC) AS shops,
  regr_slope(amount, id) AS slope, bit_or(amount) FILTER (WHERE id > 3) AS bits
FROM sales
WHERE WATERMARK_TS() < ts + INTERVAL 1 DAY
GROUP BY shop;
