// word: CREATE
CREATE INDEX foo FOR (n:A) ON (n.x)
// ---
// word: CREATE
CREATE CONSTRAINT c IF NOT EXISTS FOR (n:A) REQUIRE n.x IS UNIQUE
// ---
// word: CREATE
CREATE VECTOR INDEX v FOR (n:A) ON n.e OPTIONS {}
// ---
// word: DROP
DROP INDEX foo
// ---
// word: DROP
DROP CONSTRAINT foo IF EXISTS
// ---
// word: DROP
DROP DATABASE neo4j
// ---
// word: CREATE
CREATE DATABASE evil
// ---
// word: CREATE
CREATE USER evil SET PASSWORD 'x'
// ---
// word: CREATE
CREATE OR REPLACE ALIAS a FOR DATABASE neo4j
// ---
// word: ALTER
ALTER USER neo4j SET PASSWORD 'x'
// ---
// word: ALTER
ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'
// ---
// word: ALTER
ALTER DATABASE neo4j SET ACCESS READ ONLY
// ---
// word: RENAME
RENAME USER a TO b
// ---
// word: GRANT
GRANT ROLE admin TO evil
// ---
// word: DENY
DENY READ {*} ON GRAPH * TO reader
// ---
// word: REVOKE
REVOKE ROLE reader FROM bob
// ---
// word: START
START DATABASE neo4j
// ---
// word: STOP
STOP DATABASE neo4j
// ---
// word: TERMINATE
TERMINATE TRANSACTIONS 'neo4j-transaction-1'
// ---
// word: TERMINATE
TERMINATE TRANSACTION $id YIELD message
// ---
// word: ENABLE
ENABLE SERVER 'x'
// ---
// word: DEALLOCATE
DEALLOCATE DATABASES FROM SERVER 'x'
// ---
// word: DRYRUN
DRYRUN REALLOCATE DATABASES
// ---
// word: REALLOCATE
REALLOCATE DATABASES
// ---
// word: USERS
SHOW USERS
// ---
// word: USER
SHOW USER bob PRIVILEGES
// ---
// word: CURRENT
SHOW CURRENT USER
// ---
// word: ROLES
SHOW ROLES WITH USERS
// ---
// word: ROLES
SHOW ALL ROLES
// ---
// word: PRIVILEGES
SHOW PRIVILEGES AS COMMANDS
// ---
// word: TRANSACTIONS
SHOW TRANSACTIONS
// ---
// word: TRANSACTIONS
SHOW TRANSACTIONS YIELD currentQuery, parameters RETURN *
// ---
// word: TRANSACTIONS
SHOW TRANSACTIONS YIELD transactionId AS id TERMINATE TRANSACTIONS id YIELD message RETURN *
// ---
// word: TERMINATE
SHOW INDEXES YIELD name TERMINATE TRANSACTIONS name
// ---
SHOW INDEXES YIELD name SHOW TRANSACTIONS YIELD transactionId RETURN *
// ---
// word: SETTINGS
SHOW SETTINGS
// ---
// word: SETTING
SHOW SETTING 'server.bolt.listen_address'
// ---
// word: DATABASES
SHOW DATABASES
// ---
// word: HOME
SHOW HOME DATABASE
// ---
// word: DEFAULT
SHOW DEFAULT DATABASE YIELD *
// ---
// word: SERVERS
SHOW SERVERS
// ---
// word: ALIASES
SHOW ALIASES FOR DATABASES
// ---
// word: SUPPORTED
SHOW SUPPORTED PRIVILEGES
// ---
// word: bob
SHOW PROCEDURES EXECUTABLE BY bob
// ---
// word: CREATE
SHOW INDEXES YIELD name CREATE (n)
// ---
// word: MATCH
SHOW INDEXES YIELD name MATCH (n) DETACH DELETE n
// ---
// word: `INDEXES`
SHOW `INDEXES`
// ---
SHOW
// ---
// word: SHOW
MATCH (n) SHOW INDEXES
// ---
// word: SHOW
CALL { SHOW INDEXES YIELD name RETURN name } RETURN name
// ---
// word: USING
USING PERIODIC COMMIT 500 LOAD CSV FROM 'http://x/y.csv' AS l CREATE (n)
