package graphtest

import (
	_ "embed"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

var (
	//go:embed statements.cypher
	statements string
	//go:embed forget.cypher
	forget string
)

// Ran describes a statement that ran in a test, in this process or another. The engine records only statements without
// an error.
type Ran struct {
	Line       string `json:"line"` // first line of its text
	Runs       int    `json:"runs"`
	Plans      int    `json:"plans"` // how often the engine made a plan for it
	PlanningMS int    `json:"planning_ms"`
}

// record appends the statements that the engine runs during a test to the file that TESTED_STATEMENTS names. The
// program bench/statements reads the file.
func (g *Graph) record(t testing.TB) {
	path := os.Getenv("TESTED_STATEMENTS")
	if path == "" {
		return
	}
	g.Exec(t, forget, nil)
	t.Cleanup(func() { // after the test has stopped its programs
		rows, err := g.rows(statements, nil)
		if err != nil {
			t.Logf("statements not recorded: %v", err) // the test may have stopped the engine
			return
		}
		var lines strings.Builder
		encoder := json.NewEncoder(&lines)
		for _, row := range rows {
			_ = encoder.Encode(row) // numbers and texts
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = file.Close() }()
		if _, err := file.WriteString(lines.String()); err != nil { // in one call, because other test processes write to the file
			t.Error(err)
		}
	})
}
