-- One expression a line; the tests put each into several places of a query.
-- names and fields
price
orders.price
shop.orders.price
spark_catalog.shop.orders.price
line.item.part.color.name
`net price`
`a``b`.c
_id
1st_try
`größe`
-- keywords as names
left
filter
first
`select`
end_date
year
date
timestamp
interval
rows
watermark
emit
close
late
tumble
source
sink
mz_now
window
over_time
group_id
-- numbers
1
0.5
.5
5.
1e3
1.5E-4
10L
7S
7Y
2.5D
2.5F
2.50BD
1e2BD
0BD
-3
- 3
+3
-(-3)
-9223372036854775808
-- strings
'plain'
"double"
'its'
'two' 'parts'
'a' 'b' 'c'
'line\nbreak\ttab'
'back\\slash and \'quote\''
'unicode A and octal \101'
'percent \% and \_ kept'
r'raw\n'
R"raw too"
X'1F'
x'00ff'
''
-- typed literals
DATE '2024-02-29'
date'2024-2-9'
TIMESTAMP '2024-02-29 12:30:00'
TIMESTAMP '2024-02-29T12:30:00.123Z'
TIMESTAMP_NTZ '2024-02-29 12:30:00'
TIMESTAMP_LTZ '2024-02-29 12:30:00'
TRUE
false
NULL
-- intervals
INTERVAL 1 DAY
INTERVAL '1' DAY
INTERVAL '1 day'
INTERVAL '1 day 2 hours'
INTERVAL 1 DAY 2 HOURS 3 MINUTES
INTERVAL '-3' SECOND
INTERVAL -3 SECONDS
INTERVAL 1.5 SECONDS
INTERVAL '1-6' YEAR TO MONTH
INTERVAL '1 12' DAY TO HOUR
INTERVAL '1 12:30' DAY TO MINUTE
INTERVAL '1 12:30:45.678' DAY TO SECOND
INTERVAL '12:30' HOUR TO MINUTE
INTERVAL '12:30:45' HOUR TO SECOND
INTERVAL '30:45' MINUTE TO SECOND
INTERVAL 3 WEEKS
INTERVAL 2 YEARS 3 MONTHS
ts - INTERVAL 5 MINUTES
ts + INTERVAL '1' HOUR - INTERVAL '30' MINUTE
2 * INTERVAL 1 DAY
-INTERVAL 1 DAY
-- arithmetic and bits
a + b * c - d / e
(a + b) * (c - d)
a % b
a DIV b
div(a, b)
a % b * c / d
-a * -b
~a
~ -a
a & b
a ^ b | c
a & b | c
a << 2
a >> b
a || b || c
a || 'x' || cast(b AS STRING)
-- comparisons
a = b
a == b
a <> b
a != b
a < b
a <= b
a > b
a >= b
a <=> b
a = b = c
a < b = c
a + 1 > b * 2
a IS NULL
a IS NOT NULL
a IS TRUE
a IS NOT FALSE
a IS UNKNOWN
a IS DISTINCT FROM b
a IS NOT DISTINCT FROM b + 1
a = b IS NULL
(a IS NULL) = (b IS NULL)
(a IS NULL) = TRUE
-- boolean logic
a AND b OR c
a OR b AND NOT c
NOT a = b
NOT NOT a
! a
!a AND b
NOT (a OR b) AND (c OR d)
a > 1 AND b < 2 AND c = 3 AND d <> 4
-- ranges
a BETWEEN 1 AND 10
a NOT BETWEEN b AND c + 1
a BETWEEN 1 AND 10 AND b BETWEEN 2 AND 20
ts BETWEEN ts2 - INTERVAL 1 HOUR AND ts2 + INTERVAL 1 HOUR
a IN (1)
a IN (1, 2, 3)
a NOT IN ('x', 'y')
(a, b) IN ((1, 2), (3, 4))
a IN (SELECT b FROM u)
a NOT IN (SELECT b FROM u WHERE u.c = t.c)
(a, b) IN (SELECT c, d FROM u)
a LIKE 'x%'
a NOT LIKE '%y'
a ILIKE 'X%'
a NOT ILIKE 'X%'
a LIKE 'x!%' ESCAPE '!'
a NOT LIKE 'x!%' ESCAPE '!'
a LIKE ANY ('x%', 'y%')
a LIKE SOME ('x%')
a NOT LIKE ALL ('x%', 'y%')
a ILIKE ANY ('x%', '%y')
a RLIKE '^x'
a NOT RLIKE 'x$'
a REGEXP '[0-9]+'
a + b IN (1, 2) AND NOT c LIKE 'x'
a LIKE b || '%'
-- CASE
CASE WHEN a THEN b END
CASE WHEN a > 1 THEN 'many' WHEN a = 1 THEN 'one' ELSE 'none' END
CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END
CASE WHEN a THEN CASE WHEN b THEN 1 ELSE 2 END ELSE 3 END
CASE WHEN a IS NULL THEN 0 ELSE a END + 1
CASE WHEN a IN (1, 2) OR b BETWEEN 3 AND 4 THEN c END
-- casts
CAST(a AS INT)
CAST(a AS DECIMAL(10, 2))
CAST(a AS STRING)
CAST(a AS VARCHAR(10))
CAST(a AS TIMESTAMP_NTZ)
CAST(a AS ARRAY<INT>)
CAST(a AS MAP<STRING, ARRAY<DOUBLE>>)
CAST(a AS STRUCT<x: INT, y: STRING>)
CAST(a AS STRUCT<x INT NOT NULL COMMENT 'first', y ARRAY<STRUCT<z: DATE>>>)
CAST(a AS INTERVAL DAY TO SECOND)
CAST(a AS INTERVAL YEAR TO MONTH)
CAST(a AS INTERVAL HOUR)
CAST(a + b AS BIGINT)
TRY_CAST(a AS DATE)
a :: INT
a::string::int
(a + 1)::DECIMAL(5)
a.b::BIGINT + 1
-1 :: STRING
-- elements, fields, structs
a[0]
a[i + 1].b
a[0][1]
m['key']
m['key'].field[2]
f(a).b
f(a)[0]
(a).b
struct(a, b)
struct(a AS x, b + 1 AS y, 'z')
struct(1, t.a, a.b)
named_struct('x', 1, 'y', a)
array(1, 2, 3)
array()
array(array(1), array(2, 3))
map('a', 1, 'b', 2)
map()
(a, b)
(1, 'x', NULL)
-- calls
count(*)
count(1)
count(DISTINCT a)
count(DISTINCT a, b)
sum(ALL a)
coalesce(a, b, 0)
nvl(a, b)
if(a > 1, b, c)
concat('a', b, 'c')
concat_ws(',', a, b)
shop.tax(price)
spark_catalog.shop.tax(price, 2)
now()
current_date
current_timestamp
current_timestamp()
current_user
session_user
upper(lower(trim(a)))
rand(42)
f()
f(g(h(1)))
f(a => 1, b => 'x')
unknown_function(a, b)
`quoted`(a)
uuid()
if(a, if(b, 1, 2), 3)
greatest(a, b, c) - least(a, b, c)
round(a / b, 2)
-- calls with a syntax of their own
EXTRACT(YEAR FROM ts)
EXTRACT(day FROM DATE '2024-01-01')
EXTRACT(SECONDS FROM a - b)
TRIM(a)
TRIM(BOTH FROM a)
TRIM('x' FROM a)
TRIM(LEADING 'x' FROM a)
TRIM(TRAILING FROM a)
SUBSTRING(a FROM 2)
SUBSTRING(a FROM 2 FOR 3)
SUBSTRING(a, 2)
SUBSTR(a, 2, 3)
POSITION('x' IN a)
position('x', a)
OVERLAY(a PLACING 'x' FROM 2)
OVERLAY(a PLACING 'x' FROM 2 FOR 3)
first(a)
first(a IGNORE NULLS)
last(a) IGNORE NULLS
any_value(a)
-- aggregates with clauses
sum(a) FILTER (WHERE b > 1)
count(*) FILTER (WHERE a IS NOT NULL AND b)
percentile_cont(0.5) WITHIN GROUP (ORDER BY a)
percentile_disc(0.9) WITHIN GROUP (ORDER BY a DESC)
percentile(a, 0.5)
percentile_approx(a, 0.5, 100)
approx_percentile(a, array(0.25, 0.5))
listagg(a, ',') WITHIN GROUP (ORDER BY a)
collect_list(a)
collect_set(DISTINCT a)
max_by(a, b)
min_by(a, b)
approx_count_distinct(a)
-- windows
sum(a) OVER ()
sum(a) OVER (PARTITION BY b)
sum(a) OVER (PARTITION BY b, c ORDER BY d DESC, e)
rank() OVER (ORDER BY a DESC NULLS LAST)
row_number() OVER (PARTITION BY a ORDER BY b ASC NULLS FIRST)
lag(a, 1, 0) OVER (ORDER BY b)
lead(a) OVER (PARTITION BY b ORDER BY c)
ntile(4) OVER (ORDER BY a)
sum(a) OVER (ORDER BY b ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING)
sum(a) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
sum(a) OVER (ORDER BY b RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING)
sum(a) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW)
sum(a) FILTER (WHERE b) OVER (PARTITION BY c)
nth_value(a, 2) IGNORE NULLS OVER (ORDER BY b)
first_value(a) RESPECT NULLS OVER (ORDER BY b)
sum(a) OVER (DISTRIBUTE BY b SORT BY c)
sum(a) / sum(sum(a)) OVER (PARTITION BY b)
a - avg(a) OVER (PARTITION BY b) > 10
-- lambdas
transform(xs, x -> x + 1)
transform(xs, (x, i) -> x * i)
filter(xs, x -> x > 0 AND x < 10)
exists(xs, x -> x IS NULL)
aggregate(xs, 0, (acc, x) -> acc + x, acc -> acc * 2)
reduce(xs, 0, (acc, x) -> acc + x)
zip_with(xs, ys, (x, y) -> concat(x, y))
map_filter(m, (k, v) -> v > 1)
transform(xs, x -> x.name)
transform(xss, xs -> transform(xs, x -> x + 1))
filter(xs, `x` -> `x` > 0)
transform(xs, x -> struct(x AS a, y AS b))
-- subqueries
(SELECT max(a) FROM u)
(SELECT max(a) FROM u) + 1
((SELECT 1))
EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
NOT EXISTS (SELECT * FROM u)
a = (SELECT min(b) FROM u WHERE u.c = t.c)
a > (SELECT avg(b) FROM u) * 1.2
(SELECT a FROM u UNION ALL SELECT b FROM v LIMIT 1)
(WITH w AS (SELECT 1 AS a) SELECT a FROM w)
-- times
date_add(d, 3)
date_sub(d, 3)
datediff(a, b)
date_diff(DAY, a, b)
dateadd(MONTH, 1, d)
timestampadd(HOUR, 1, ts)
timestampdiff(MINUTE, a, b)
date_trunc('HOUR', ts)
trunc(d, 'MM')
date_format(ts, 'yyyy-MM-dd')
to_date(a, 'yyyy-MM-dd')
to_date(a)
to_timestamp(a)
to_timestamp(a, 'yyyy-MM-dd HH:mm:ss')
unix_timestamp()
unix_timestamp(a, 'yyyy')
from_unixtime(a)
from_utc_timestamp(ts, 'Europe/Paris')
year(ts) * 100 + month(ts)
dayofweek(ts)
make_timestamp(2024, 1, 2, 3, 4, 5)
make_dt_interval(0, 0, 0, 5)
window(ts, '5 minutes')
window(ts, '10 minutes', '5 minutes').start
session_window(ts, '5 minutes')
-- strings, JSON, collections
split(a, ',')[0]
regexp_extract(a, '(\\d+)', 1)
regexp_replace(a, 'x', 'y')
get_json_object(a, '$.b.c')
from_json(a, 'x INT, y STRING')
to_json(struct(a, b))
explode(xs)
size(xs) > 0
element_at(xs, 1)
array_contains(xs, 'x')
sort_array(xs, false)
sequence(1, 10)
slice(xs, 1, 2)
str_to_map(a, ',', ':')
map_keys(m)
try_divide(a, b)
format_string('%d', a)
initcap(a)
ltrim('x', a)
decode(a, 1, 'one', 2, 'two', 'many')
decode(a, 'UTF-8')
