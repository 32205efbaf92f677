-- ${…} in OPTIONS is an environment variable; $${ stands for the characters themselves.
CREATE SOURCE orders (id BIGINT) USING csv OPTIONS (path '${DATA-DIR}/orders');
CREATE SOURCE more (id BIGINT) USING csv OPTIONS (path '${DATA_DIR}/$${more}');
CREATE SINK out USING json OPTIONS (path '${}') AS SELECT id FROM orders UNION ALL SELECT id FROM more;
