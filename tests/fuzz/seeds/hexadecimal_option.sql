CREATE SOURCE s (id INT, k STRING, ts TIMESTAMP, at STRUCT<x: INT>, xs ARRAY<INT>,
  WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING json OPTIONS (path 's');
CREATE SOURCE r (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
  USING json OPTIONS (path 'r');
CREATE TABLE t (id INT, k STRING) USING json OPTIONS (path 't');
CREATE SINK `
` OPTIONS ( ts . r - TRUE , 'x' - x '5 minutes' , id FALSE , v x '{}' , `"""` . r TRUE , ) USING `"""`;