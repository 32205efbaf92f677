-- ENCODE without FORMAT
CREATE SOURCE orders (id INT) WITH (connector = 'kafka') ENCODE JSON;
