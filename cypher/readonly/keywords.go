package readonly

import (
	"strings"
	"sync"
)

// keywords lists the words that have a special meaning somewhere. Any other word is always a name.
var keywords = sync.OnceValue(func() map[string]string {
	return wordSet(keywordList + strings.Join(refusedWords(), " "))
})

const keywordList = `
	ALL ALLSHORTESTPATHS AND ANY ARRAY AS ASC ASCENDING BOOL BOOLEAN BOTH BUILT BY CALL CASE COLLECT CONSTRAINT
	CONSTRAINTS CONTAINS COUNT CURRENT CYPHER DATE DATETIME DEFINED DESC DESCENDING DISTINCT DURATION EDGE ELSE END ENDS
	EXECUTABLE EXIST EXISTENCE EXISTS EXPLAIN FALSE FINISH FLOAT FROM FULLTEXT FUNCTION FUNCTIONS GROUP GROUPS IN INDEX
	INDEXES INF INFINITY INT INTEGER IS JOIN KEY LEADING LIMIT LIST LOCAL LOOKUP MAP MATCH NAN NFC NFD NFKC NFKD NODE
	NONE NORMALIZE NORMALIZED NOT NOTHING NULL OFFSET ON OPTIONAL OR ORDER PATH PATHS POINT PROCEDURE PROCEDURES PROFILE
	PROPERTY RANGE REDUCE REL RELATIONSHIP RETURN SCAN SEEK SHORTEST SHORTESTPATH SHOW SIGNED SINGLE SKIP STARTS STRING
	TEXT THEN TIME TIMESTAMP TIMEZONE TRAILING TRIM TRUE TYPE TYPED UNION UNIQUE UNIQUENESS UNWIND USER USING VALUE
	VARCHAR VECTOR VERTEX WHEN WHERE WITH WITHOUT XOR YIELD ZONE ZONED
`

const maxKeywordLength = 16

func wordSet(words string) map[string]string {
	set := map[string]string{}
	for _, w := range strings.Fields(words) {
		if len(w) > maxKeywordLength {
			panic("keyword too long: " + w)
		}
		set[w] = w
	}
	return set
}

const (
	askForRead  = "Use MATCH ... RETURN to read."
	oneSession  = "Run one read query; the server's administrator runs such commands."
	passAsParam = "Pass the data as a parameter and UNWIND it."
)

// refusedClauses explains known clauses that are not allowed. Clauses that are missing here are refused too.
var refusedClauses = map[string][2]string{
	"CREATE": {"writes, and only reads are allowed here", askForRead},
	"INSERT": {"writes, and only reads are allowed here", askForRead},
	"MERGE": {"writes, and only reads are allowed here",
		"Use MATCH, or OPTIONAL MATCH where nothing may be found."},
	"SET": {"writes, and only reads are allowed here",
		"Compute the value in RETURN, or in a map projection such as n {.*, x: 1}."},
	"REMOVE": {"writes, and only reads are allowed here",
		"Return only the properties that are wanted, such as n {.name}."},
	"DELETE":   {"writes, and only reads are allowed here", askForRead},
	"DETACH":   {"writes, and only reads are allowed here", askForRead},
	"NODETACH": {"writes, and only reads are allowed here", askForRead},
	"FOREACH":  {"writes, and only reads are allowed here", "Use UNWIND to go through a list."},
	"LOAD":     {"reads a file or an address outside the graph", passAsParam},
	"DROP": {"changes the schema or the databases",
		"Use SHOW INDEXES or SHOW CONSTRAINTS to look at the schema."},
	"ALTER":       {"changes databases or users", oneSession},
	"RENAME":      {"changes databases or users", oneSession},
	"GRANT":       {"changes privileges", oneSession},
	"DENY":        {"changes privileges", oneSession},
	"REVOKE":      {"changes privileges", oneSession},
	"START":       {"starts a database", oneSession},
	"STOP":        {"stops a database", oneSession},
	"TERMINATE":   {"ends transactions of others", oneSession},
	"ENABLE":      {"changes servers", oneSession},
	"DEALLOCATE":  {"moves databases", oneSession},
	"REALLOCATE":  {"moves databases", oneSession},
	"DRYRUN":      {"belongs to commands that move databases", oneSession},
	"USE":         {"chooses another graph", "Leave it out; the database is chosen outside the query."},
	"FILTER":      {"is not a clause of Cypher 5", "Use WITH ... WHERE."},
	"LET":         {"is not a clause of Cypher 5", "Use WITH."},
	"NEXT":        {"is not a clause of Cypher 5", "Use WITH, or send a second query."},
	"COMMIT":      {"belongs to transactions", oneSession},
	"ROLLBACK":    {"belongs to transactions", oneSession},
	"BEGIN":       {"belongs to transactions", oneSession},
	"PERIODIC":    {"commits while the query runs", oneSession},
	"TRANSACTION": {"shows the texts and parameters of other people's queries", oneSession},
	"TRANSACTIONS": {"is about transactions, which show the texts and parameters of other people's queries",
		"Use CALL { ... } without IN TRANSACTIONS."},
	"SETTING":    {"shows the server's configuration", oneSession},
	"SETTINGS":   {"shows the server's configuration", oneSession},
	"USERS":      {"shows accounts", oneSession},
	"ROLE":       {"shows privileges", oneSession},
	"ROLES":      {"shows privileges", oneSession},
	"PRIVILEGE":  {"shows privileges", oneSession},
	"PRIVILEGES": {"shows privileges", oneSession},
	"SERVER":     {"shows the machines of the cluster", oneSession},
	"SERVERS":    {"shows the machines of the cluster", oneSession},
	"DATABASE":   {"shows other databases and their addresses", oneSession},
	"DATABASES":  {"shows other databases and their addresses", oneSession},
	"ALIAS":      {"shows other databases and their addresses", oneSession},
	"ALIASES":    {"shows other databases and their addresses", oneSession},
}

func refusedWords() []string {
	var words []string
	for w := range refusedClauses {
		words = append(words, w)
	}
	return words
}
