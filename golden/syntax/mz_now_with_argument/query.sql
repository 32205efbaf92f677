-- mz_now takes nothing
SELECT id FROM orders WHERE ts <= mz_now(3)
