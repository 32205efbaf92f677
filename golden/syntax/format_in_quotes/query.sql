-- a format as a string
CREATE SOURCE orders (id BIGINT) USING 'kafka';
