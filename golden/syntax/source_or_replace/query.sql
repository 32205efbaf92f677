-- OR REPLACE before a source
CREATE OR REPLACE SOURCE orders (id BIGINT);
