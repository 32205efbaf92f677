-- INSERT INTO without a query
INSERT INTO report (id);
