// The settings that bound what a query may reach and cost. No parameters.
SHOW SETTINGS 'dbms.security.allow_csv_import_from_file_urls', 'db.transaction.timeout', 'db.memory.transaction.max'
YIELD name, value
