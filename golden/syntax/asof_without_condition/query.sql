-- DuckDB has the time in ON.
SELECT t.id, q.price FROM trades t ASOF JOIN quotes q ON t.id = q.id AND t.ts >= q.ts;
