-- what is created is misspelt
CREATE SORCE orders (id BIGINT);
