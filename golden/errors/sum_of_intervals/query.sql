-- Times in the air, kept up while flights come and go: numbers can be summed up, intervals cannot.
CREATE SOURCE flights (carrier STRING, dep TIMESTAMP, arr TIMESTAMP) USING parquet OPTIONS (path 'flights');
SELECT carrier, sum(arr - dep) AS in_the_air FROM flights WHERE mz_now() < arr GROUP BY carrier;
