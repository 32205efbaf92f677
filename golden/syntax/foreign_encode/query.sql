-- RisingWave's FORMAT and ENCODE
CREATE SOURCE orders (id INT) WITH (connector = 'kafka') FORMAT PLAIN ENCODE JSON;
