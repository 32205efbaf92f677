-- a type is misspelt
CREATE SOURCE orders (id BIGNT, price DECIMAL(10, 2));
