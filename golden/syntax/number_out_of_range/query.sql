-- a number does not fit its suffix
SELECT 300Y
