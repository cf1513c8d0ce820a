package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions/audit"
	"nomograph/graph/archive"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestArchive_EveryWritingOperation_RoundTrips calls every writing operation in the order of the file and in a random
// order. The exported and imported graph is equal, node by node and relationship by relationship; a second import
// changes nothing.
func TestArchive_EveryWritingOperation_RoundTrips(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	written := golden.Columns(t, "testdata/written.txt", 2)
	for _, o := range tools.Catalog {
		called := slices.ContainsFunc(written, func(c []string) bool { return c[0] == o.Name })
		asksOthers := o.Hints.OpenWorld || o.Name == "remove_agent" ||
			o.Name == "receive_decisions" // packages federation, peers and webhooks test these operations
		if !o.Hints.ReadOnly && o.Name != "diff_packs" && o.Name != "diff_atlases" && o.Toolset != "tokens" &&
			!asksOthers && !called {
			t.Errorf("%s writes, but testdata/written.txt lacks it", o.Name)
		}
	}
	g, dir := graphtest.New(t), records(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	env.Checks.Settings.AllowedRetention, env.Checks.Settings.DeniedRetention = time.Nanosecond, time.Nanosecond
	failed, then, approval, proposal, denied := 0, "", "none", "none-of-them", "none"
	play := func(t *testing.T, at int, ids []string) []string {
		operation := written[at][0]
		o, known := tools.Find(tools.Catalog, operation)
		if !known {
			t.Fatalf("%s is missing", operation)
		}
		arguments := strings.NewReplacer("$dir", dir, "$then", then, "$approval", approval, "$proposal", proposal,
			"$denied", denied).Replace(written[at][1])
		for i := range 2 {
			if i < len(ids) {
				arguments = strings.ReplaceAll(arguments, fmt.Sprint("$", i+1), ids[i])
			}
		}
		env.Sessions.ApprovalDelay = 0
		if at+1 < len(written) && written[at+1][0] == "undo_approval" {
			env.Sessions.ApprovalDelay = time.Hour
		}
		who := caller.Local(map[bool]string{true: "mia", false: "ann"}[strings.HasPrefix(o.Command, "approval ") ||
			strings.HasPrefix(o.Command, "exception ") || o.Name == "approve_proposal" ||
			o.Name == "uphold_verdict" || o.Name == "overturn_verdict"])
		who.Connection = "one window"
		out, err := o.Run(caller.With(t.Context(), who), env, json.RawMessage(arguments))
		if err != nil {
			t.Logf("%d, %s: %v", at, operation, err)
		}
		if reported, ok := out.(sessions.Reported); ok && err == nil {
			approval = reported.ApprovalID
		}
		if proposed, ok := out.(proposals.Proposal); ok && err == nil {
			proposal = proposed.ProposalID
		}
		if verdict, ok := out.(check.Verdict); ok && !verdict.Allowed {
			denied = verdict.VerdictID
		}
		if logged, err := json.Marshal(out); err == nil && operation == "log_decision" {
			var answer struct{ ID string }
			if json.Unmarshal(logged, &answer) == nil && answer.ID != "" {
				return append(ids, answer.ID)
			}
		}
		if err != nil {
			failed++
		}
		if then == "" {
			then = time.Now().Format(time.RFC3339Nano)
		}
		return ids
	}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	for round, order := range [][]int{nil, rng.Perm(len(written))} {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Logf("random order with seed %d", seed)
			empty(t, g)
			var ids []string
			for n := range written {
				at := n
				if order != nil {
					at = order[n]
				}
				ids = play(t, at, ids)
			}
			if round == 0 && failed > 0 { // in random order, some calls need what a later call creates
				t.Fatalf("%d calls failed", failed)
			}
			env.Trace.Close(t.Context())
			if b, err := env.Audit.Export(t.Context(), audit.Request{DateAfter: "1d", Unsigned: true}); err != nil ||
				!b.Intact || b.Counts["event"] == 0 || b.Counts["verdict"] == 0 {
				t.Errorf("the audit bundle: got %+v %v, want an intact bundle", b.Verification, err)
			}
			sameAgain(t, g)
		})
	}
}

// sameAgain exports the graph, imports it into an empty one, and imports it twice more.
func sameAgain(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	before := everything(t, g)
	var file bytes.Buffer
	exported := graphtest.Must(archive.Export(t.Context(), g.DB, &file, archive.ExportOptions{}))(t)
	empty(t, g)
	created := archive.Imported{Nodes: archive.LineCounts{Created: exported.Nodes},
		Relationships: archive.LineCounts{Created: exported.Relationships}}
	unchanged := archive.Imported{Nodes: archive.LineCounts{Unchanged: exported.Nodes},
		Relationships: archive.LineCounts{Unchanged: exported.Relationships}}
	for n, c := range []struct {
		archive.ImportOptions
		want archive.Imported
	}{{archive.ImportOptions{}, created}, {archive.ImportOptions{}, unchanged},
		{archive.ImportOptions{Overwrite: true}, unchanged}} {
		got, err := archive.Import(t.Context(), g.DB, bytes.NewReader(file.Bytes()), c.ImportOptions)
		if err != nil {
			t.Fatalf("import %d: %v", n, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("import %d: %s", n, diff)
		}
		if diff := cmp.Diff(before, everything(t, g)); diff != "" {
			t.Errorf("the graph after import %d: %s", n, diff)
		}
	}
}

// everything returns the graph as texts, a line for each node and relationship, bypassing the product. It omits what
// is created again after an import: counters, vectors, and their marker labels.
func everything(t *testing.T, g *graphtest.Graph) []string {
	t.Helper()
	say := map[string]string{}
	for _, row := range g.Rows(t, `MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock AND NOT n:CalibrationCell AND NOT n:Embedding AND NOT n:ContextEmbedding AND NOT n:ChunkEmbedding AND NOT n:MemoryProject AND NOT coalesce(n:Chunk AND n.kind IN ['events', 'decision'], false) AND NOT n:SYS_SearchIndex
RETURN elementId(n) AS id, [l IN labels(n) WHERE NOT l IN ['Unindexed', 'Uncounted', 'Unremembered', 'UnindexedChunk']] AS labels, properties(n) AS properties`, nil) {
		properties := row["properties"].(map[string]any)
		delete(properties, "counted_as")
		for _, name := range []string{"remembered", "closed", "chunks", "tokens", "remembered_from", "remembered_to",
			"memory_version"} {
			delete(properties, name)
		}
		say[row["id"].(string)] = fmt.Sprintf("%v %#v", row["labels"], inOrder(properties))
	}
	lines := slices.Collect(maps.Values(say))
	for _, row := range g.Rows(t, `MATCH (a)-[r]->(b) RETURN elementId(a) AS a, type(r) AS type, properties(r) AS properties, elementId(b) AS b`, nil) {
		a, b := say[row["a"].(string)], say[row["b"].(string)]
		if a != "" && b != "" {
			lines = append(lines, fmt.Sprintf("%s -%s %#v-> %s", a, row["type"],
				inOrder(row["properties"].(map[string]any)), b))
		}
	}
	slices.Sort(lines)
	if len(lines) < 20 {
		t.Fatalf("the graph has only %d nodes and relationships", len(lines))
	}
	return lines
}

// inOrder returns properties with their types, sorted by name.
func inOrder(properties map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value := fmt.Sprintf("%#v", properties[name])
		if at, ok := properties[name].(time.Time); ok {
			value = at.Format(time.RFC3339Nano)
		}
		out = append(out, name+": "+value)
	}
	return out
}

func empty(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
}

// records creates a folder with records of each importable format.
func records(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"0001-a.md": "# 1. Use a queue\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use a queue.\n",
		"0002-b.md": "# 2. Use a log\n\nDate: 2021-01-02\n\n## Status\n\nAccepted\n\nSupersedes [1. Use a queue](0001-a.md)\n\n## Decision\n\nWe use a log.\n",
		"talk/c.jsonl": `{"session": "c", "role": "user", "content": "Why a queue?", "at": "2026-03-01T10:00:00Z"}` +
			"\n" + `{"session": "c", "role": "assistant", "content": "It waits.", "at": "2026-03-01T10:00:01Z"}` + "\n",
		"records.jsonl": `{"id": "j1", "title": "Use X", "confidence": 0.8, "outcome": "success", "odd": {"a": [1, 2.5]}, "reasons": [{"type": "pattern", "text": "as before"}]}` + "\n",
		"cstp/2026/03/2026-03-01-decision-0a1b2c3d.yaml": "id: 0a1b2c3d\nsummary: Keep YAML\ncategory: tooling\nconfidence: 0.5\ndate: 2026-03-01T10:00:00Z\nstatus: pending\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}
