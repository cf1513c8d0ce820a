package readonly

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// keywords lists the words that have a special meaning somewhere. Any other word is always a name.
var keywords = sync.OnceValue(func() map[string]string {
	return wordSet(keywordList + strings.Join(slices.Collect(maps.Keys(refusedClauses())), " "))
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

func wordSet(words string) map[string]string {
	set := map[string]string{}
	for _, w := range strings.Fields(words) {
		set[w] = w
	}
	return set
}

const oneSession = "Run one read query; the server's administrator runs such commands."

//go:embed refused.txt
var refusedList string

// refusedClauses explains known clauses that are not allowed: the reason and what to use instead. Clauses that are
// missing here are refused too.
var refusedClauses = sync.OnceValue(func() map[string][2]string {
	all := map[string][2]string{}
	for line := range strings.Lines(refusedList) {
		if columns := strings.Split(strings.TrimSpace(line), " | "); len(columns) == 3 {
			all[columns[0]] = [2]string{columns[1], columns[2]}
		}
	}
	return all
})
