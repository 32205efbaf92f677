-- IS is missing before NOT NULL
SELECT id FROM orders WHERE price NOT NULL
