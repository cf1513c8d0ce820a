// Returns the settings that limit what a query may access and use. No parameters.
SHOW SETTINGS 'dbms.security.allow_csv_import_from_file_urls', 'db.transaction.timeout', 'db.memory.transaction.max'
YIELD name, value
