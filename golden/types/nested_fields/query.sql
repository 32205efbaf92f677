-- Fields of structs, elements of arrays and maps, lambdas, casts.
CREATE SOURCE events (
  id BIGINT, place STRUCT<lat: DOUBLE, at: TIMESTAMP>, tags ARRAY<INT>, notes MAP<STRING, STRING>,
  WATERMARK FOR id AS id
) USING json OPTIONS (path 'events');

SELECT place.lat, events.place.at, tags[0] AS first_tag, notes['x'] AS note,
       transform(tags, tag -> tag + 1) AS raised, id::STRING AS text
FROM events
WHERE place.at <= WATERMARK_TS();
