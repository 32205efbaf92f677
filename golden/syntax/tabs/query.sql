-- markers stand under the text behind a tab
SELECT	id,	price	FORM	orders
