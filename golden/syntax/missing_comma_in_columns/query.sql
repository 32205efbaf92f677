-- a comma is missing between two columns of a source
CREATE SOURCE orders (
  id BIGINT
  ts TIMESTAMP
);
