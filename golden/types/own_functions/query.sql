-- Functions of one's own: registered elsewhere, of a class, or an expression of SQL.
CREATE FUNCTION known_to_the_session;
CREATE TEMPORARY FUNCTION of_a_class AS 'com.acme.Classify' USING JAR 'hdfs:///udf.jar';
CREATE FUNCTION area(width DOUBLE, height DOUBLE) RETURNS DOUBLE RETURN width * height;
CREATE SOURCE parts (id INT, width DOUBLE, height DOUBLE) USING parquet OPTIONS (path 'parts');

SELECT id, known_to_the_session(id) AS a, of_a_class(id) AS b, area(width, height) AS c FROM parts;
