package cypher_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/migrations"
)

// TestStatements_Explain_ReadsDoNotWrite plans each statement on the server and checks that read statements do not
// write. Planning needs no parameter values. Planning all takes most of a minute, so a golden file lists statements
// that passed with this text, server and schema; UPDATE_GOLDEN=1 plans all of them.
func TestStatements_Explain_ReadsDoNotWrite(t *testing.T) {
	g := graphtest.New(t)
	server := graphtest.Must(g.Connect(t.Context()))(t)
	schema := ""
	for _, m := range migrations.All() {
		schema += m.Text
	}
	const golden = "testdata/explained.txt"
	text, _ := os.ReadFile(golden) // without the file, all statements are planned
	held, seen := strings.Split(string(text), "\n"), []string{}
	all := map[string]cypher.Statement{}
	for name, statement := range cypher.Catalog {
		all[name] = statement
		if restricted, ok := statement.Restricted(); ok {
			all[name+" restricted"] = cypher.New(name, restricted, statement.Writes)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		statement := all[name]
		hash := sha256.Sum256(fmt.Appendln(nil, server.Version, schema, statement.Text(), statement.Writes))
		line := name + " " + hex.EncodeToString(hash[:8])
		if os.Getenv("UPDATE_GOLDEN") == "" && slices.Contains(held, line) {
			continue
		}
		if t.Run(name, func(t *testing.T) { explains(t, g, "EXPLAIN ", statement) }) {
			seen = append(seen, line)
		}
		// The default language of a newer server may be Cypher 25, in which the same texts must mean the same.
		if server.Version >= "2025.06" && !strings.HasPrefix(server.Version, "5.") {
			t.Run(name+" in Cypher 25", func(t *testing.T) {
				statement = statement.With("\nCYPHER replan=skip", "") // the option that preserves a plan
				explains(t, g, "EXPLAIN CYPHER 25 ", statement)
			})
		}
	}
	t.Logf("planned %d of %d", len(seen), len(all))
	if os.Getenv("UPDATE_GOLDEN") == "" {
		return
	}
	graphtest.OK(t, os.WriteFile(golden, []byte(strings.Join(seen, "\n")+"\n"), 0o600))
}

func explains(t *testing.T, g *graphtest.Graph, how string, statement cypher.Statement) {
	session := g.Driver.NewSession(context.Background(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	defer func() { _ = session.Close(context.Background()) }()
	result := graphtest.Must(session.Run(context.Background(), how+statement.Text(), nil))(t)
	summary := graphtest.Must(result.Consume(context.Background()))(t)
	kind := summary.StatementType()
	// The server reports every procedure of its DBMS group as a schema write.
	reads := kind == neo4j.StatementTypeReadOnly || kind == neo4j.StatementTypeSchemaWrite &&
		strings.Contains(statement.Text(), "CALL db")
	if statement.Writes == reads {
		t.Errorf("declared writes=%v, but the server says %v", statement.Writes, kind)
	}
	if strings.Contains(statement.Text(), "CYPHER replan=skip") { // a plan made on an empty graph must suit a full one
		for _, scan := range scans(summary.Plan()) {
			t.Errorf("plan scans %s, want index lookups only", scan)
		}
	}
	for _, n := range summary.Notifications() {
		if strings.Contains(n.Description(), "'db.index.vector.queryNodes' has been replaced by 'SEARCH'") {
			continue // the oldest server does not have it
		}
		if !strings.Contains(n.Code(), "UnknownPropertyKeyWarning") &&
			!strings.Contains(n.Code(), "UnknownLabelWarning") &&
			!strings.Contains(n.Code(), "UnknownRelationshipTypeWarning") &&
			!strings.Contains(n.Code(), "ParameterNotProvided") {
			t.Errorf("%s: %s", n.Code(), n.Description())
		}
	}
}

// scans returns the plan steps that scan all nodes or all nodes of a label. Locks are few, so they are excluded.
func scans(plan neo4j.Plan) (found []string) {
	details := fmt.Sprint(plan.Arguments()["Details"])
	if name := plan.Operator(); strings.Contains(name, "LabelScan") || strings.Contains(name, "AllNodesScan") ||
		strings.Contains(name, "TypeScan") {
		if !strings.Contains(details, "SYS_Lock") {
			found = append(found, name+" "+details)
		}
	}
	for _, child := range plan.Children() {
		found = append(found, scans(child)...)
	}
	return found
}

func TestMigrations_Numbers_HaveNoGaps(t *testing.T) {
	for i, m := range migrations.All() {
		graphtest.Equal(t, m.Version, i+1, m.Name, "has the number", "but is file")
		if len(m.Statements()) == 0 {
			t.Errorf("%s holds no statement", m.Name)
		}
	}
}
