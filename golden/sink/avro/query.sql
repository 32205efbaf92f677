-- Columns of a schema; records of Avro by a registry
CREATE SOURCE orders (WATERMARK FOR at AS at - INTERVAL 1 MINUTE) INCLUDE key AS k
USING kafka OPTIONS (topic 'orders', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema = '{"type": "record", "name": "order", "namespace": "shop", "fields": [
  {"name": "id", "type": "long"},
  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
  {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
  {"name": "lines", "type": {"type": "array", "items": {"type": "record", "name": "line", "fields": [
    {"name": "item id", "type": "string"}, {"name": "kind", "type": {"type": "enum", "name": "kind", "symbols": ["A"]}}]}}},
  {"name": "first", "type": ["null", "shop.line"]},
  {"name": "tags", "type": {"type": "map", "values": ["int", "long"]}}]}');
CREATE SINK settled USING kafka OPTIONS (topic 'settled', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081', schema.registry.password = 'geheim') AS
SELECT id, price, lines, tags FROM orders WHERE at + INTERVAL 5 MINUTES <= WATERMARK_TS();
