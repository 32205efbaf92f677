-- A DATE column as the time of a watermark.
CREATE SOURCE invoices (
  id BIGINT, due DATE, paid BOOLEAN NOT NULL,
  WATERMARK FOR due AS due
) USING csv OPTIONS (path 'invoices', header true);

SELECT id FROM invoices WHERE due + INTERVAL 14 DAYS <= WATERMARK_TS() AND NOT paid;
