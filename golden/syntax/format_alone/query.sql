-- FORMAT without ENCODE
CREATE SOURCE orders (id INT) WITH (connector = 'kafka') FORMAT PLAIN;
