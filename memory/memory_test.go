package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/memory"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

func remembered(t *testing.T, env *tools.App) {
	t.Helper()
	env.Trace.Close(t.Context())
	graphtest.OK(t, env.Memory.CatchUp(t.Context()))
}

func one(t *testing.T, g *graphtest.Graph, query string) any {
	t.Helper()
	rows := g.Rows(t, query, nil)
	if len(rows) != 1 {
		t.Fatalf("%s: %d rows", query, len(rows))
	}
	for _, value := range rows[0] {
		return value
	}
	return nil
}

// countsHold compares the stored counts with the stored chunks.
func countsHold(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	for name, query := range map[string]string{
		"projects":  "MATCH (p:MemoryProject) CALL (p) { MATCH (c:Chunk) WHERE toLower(c.project) = p.key RETURN count(c) AS n, sum(c.tokens) AS tokens } WITH p WHERE p.chunks <> n OR p.tokens <> tokens RETURN count(p) AS n",
		"sessions":  "MATCH (s:Session) CALL (s) { MATCH (c:Chunk {session: s.uid}) WHERE c.decision IS NULL RETURN count(c) AS n, sum(c.tokens) AS tokens } WITH s, n, tokens WHERE coalesce(s.chunks, 0) <> n OR coalesce(s.tokens, 0) <> tokens RETURN count(s) AS n",
		"chains":    "MATCH (c:Chunk) WHERE c.position > 0 AND COUNT { (c)<-[:NEXT]-() } <> 1 RETURN count(c) AS n",
		"positions": "MATCH (c:Chunk) WHERE c.session IS NOT NULL AND c.decision IS NULL AND NOT EXISTS { (c)-[:FROM]->(:Session {uid: c.session}) } RETURN count(c) AS n",
		"marks":     "MATCH (m:Unremembered) RETURN count(m) AS n",
	} {
		query = strings.Replace(query, "WITH p WHERE", "WITH p, n, tokens WHERE", 1)
		golden.Equal[any](t, name, one(t, g, query), int64(0))
	}
}

func TestMemory_SessionsAndDecisions_BecomeChunks(t *testing.T) {
	g, env := toolstest.Open(t)
	who := trace.SessionSelector{Agent: "Ada", Workspace: "/home/ada/shop", SessionID: "s1"}
	think := func(text string) {
		t.Helper()
		graphtest.Must(env.Trace.Append(t.Context(), who,
			trace.Event{Type: "thought", Payload: map[string]any{"text": text}}))(t)
	}
	think("The orders need transactions. The password=hunter2secret must not be kept")
	made := graphtest.Must(env.Decisions.Record(t.Context(),
		decisions.Record{Decision: "Use PostgreSQL for the orders", Confidence: 0.9, Category: "architecture",
			Stakes: "high",
			ExtraFields: decisions.ExtraFields{Project: "acme/shop", Visibility: "project",
				Reasons: []decisions.Reason{{Type: "analysis", Text: "Transactions end the races"}},
				AgentID: "Ada", SessionID: "s1"}}))(t)
	remembered(t, env)
	text := fmt.Sprint(one(t, g, "MATCH (c:Chunk {kind: 'events'}) RETURN c.text AS text"))
	for _, want := range []string{"Thought: The orders need transactions", "Decided (" + made.ID +
		"): Use PostgreSQL for the orders (confidence 0.9, category architecture, stakes high)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(text, "hunter2secret") {
		t.Error("a secret is remembered")
	}
	decision := g.Rows(t, "MATCH (c:Chunk {kind: 'decision'})-[:FROM]->(d:Decision)<-[:FROM]-(e:Chunk {kind: 'events'})-[:FROM]->(:TraceEvent {seq: 0}) RETURN c.text AS text, c.project AS project, c.visibility AS visibility, c.session = e.session AS same, c.position AS position", nil)
	if len(decision) != 1 || decision[0]["project"] != "acme/shop" || decision[0]["visibility"] != "project" ||
		decision[0]["same"] != true || decision[0]["position"] != nil ||
		!strings.Contains(decision[0]["text"].(string), "Because (analysis): Transactions end the races") {
		t.Errorf(`got %v, want len(decision)=1, project=acme/shop, visibility=project, same=true, position=nil, text with "Because (analysis): Transactions end the races"`, decision)
	}
	countsHold(t, g)

	t.Run("an outcome changes the decision's chunk and extends the session's", func(t *testing.T) {
		graphtest.Must(env.Decisions.Review(t.Context(),
			decisions.Outcome{ID: made.ID, Outcome: "failure", Lessons: "Too slow beyond 2 TB", AgentID: "Ada",
				Session: decisions.Session{SessionID: "s1"}}))(t)
		remembered(t, env)
		if text := one(t, g, "MATCH (c:Chunk {kind: 'decision'}) RETURN c.text AS text"); !strings.Contains(text.(string), "Outcome: failure\nLessons: Too slow beyond 2 TB") {
			t.Error(text)
		}
		if n := one(t, g, "MATCH (c:Chunk {kind: 'events'}) WHERE c.text CONTAINS 'outcome: failure' RETURN count(c) AS n"); n != int64(1) {
			t.Error(n)
		}
		countsHold(t, g)
	})

	t.Run("many events, from several processes, each once", func(t *testing.T) {
		for i := range 40 {
			think(fmt.Sprintf("Thought number %d: %s", i, strings.Repeat("we look at the orders again ", 10)))
		}
		var events []trace.Event
		for i := range 1200 {
			events = append(events, trace.Event{Type: "thought",
				Payload: map[string]any{"text": fmt.Sprintf("a short one, number %d", i)}})
		}
		graphtest.Must(env.Trace.Append(t.Context(), who, events...))(t)
		others := []*tools.App{env, toolstest.App(t, g.DB), toolstest.App(t, g.DB)}
		done := make(chan error)
		for _, other := range others {
			go func() { done <- other.Memory.CatchUp(context.Background()) }()
		}
		for range others {
			if err := graphtest.Receive(t, "a server ends", done); err != nil {
				t.Error(err)
			}
		}
		remembered(t, env)
		golden.Equal[any](t, "times of the events", one(t, g,
			"MATCH (c:Chunk {kind: 'events'}) WITH c ORDER BY c.position WITH reduce(all = '', c IN collect(c) | all + c.text + '\n') AS whole UNWIND range(0, 1199) AS i WITH whole, 'number ' + i + '\n' AS line WHERE size(split(whole, 'one, ' + line)) <> 2 RETURN count(*) AS n"), int64(0))
		if n := one(t, g, "MATCH (c:Chunk {kind: 'events'}) RETURN count(c) AS n").(int64); n < 10 {
			t.Errorf("%d chunks", n)
		}
		countsHold(t, g)
	})

	t.Run("a retracted decision is not in memory", func(t *testing.T) {
		graphtest.Must(env.Decisions.Retract(t.Context(),
			decisions.Retraction{ID: made.ID, Reason: "a mistake"}))(t)
		remembered(t, env)
		if n := one(t, g, "MATCH (c:Chunk {kind: 'decision'}) RETURN count(c) AS n"); n != int64(0) {
			t.Error(n)
		}
		countsHold(t, g)
	})

	t.Run("every chunk gets vectors", func(t *testing.T) {
		graphtest.OK(t, env.Chunks.Drain(t.Context()))
		if n := one(t, g, "MATCH (c:Chunk) WHERE c:UnindexedChunk OR NOT EXISTS { (c)<-[:OF]-(:ChunkEmbedding) } RETURN count(c) AS n"); n != int64(0) {
			t.Error(n)
		}
	})
}

func TestCatchUp_NewEventsDuringAnUpdate_WaitForTheNext(t *testing.T) {
	g, env := toolstest.Open(t)
	who := trace.SessionSelector{Agent: "Ada", Workspace: "/home/ada/shop", SessionID: "busy"}
	appended := func() error {
		_, err := env.Trace.Append(t.Context(), who,
			trace.Event{Type: "thought", Payload: map[string]any{"text": "We look at the orders"}})
		return err
	}
	graphtest.OK(t, appended())
	updates := 0
	busy := toolstest.Reopen(t, g)
	busy.Watches = append(busy.Watches, func(ctx context.Context, statement string) (context.Context, func(error)) {
		if statement == "memory/events_for_chunks" && updates < 5 {
			updates++
			if err := appended(); err != nil {
				t.Error(err)
			}
		}
		return ctx, func(error) {}
	})
	graphtest.OK(t, toolstest.App(t, busy).Memory.CatchUp(t.Context()))
	golden.Equal(t, "updates of a session that gets events all the time", updates, 1)
	remembered(t, env)
	countsHold(t, g)
}

func TestMemory_ProjectOfAFolder_IsFound(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		graphtest.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("a/.git/config", "[core]\n\tbare = false\n[remote \"upstream\"]\n\turl = https://example.org/other/one.git\n[remote \"origin\"]\n\turl = git@example.org:acme/shop.git\n\tfetch = x\n[branch \"main\"]\n")
	write("a/deep/er/file", "")
	write("b/.git/config", "[remote \"origin\"]\n\turl = https://example.org/acme/api\n")
	write("c/.git/config", "[core]\n")
	write("a/.git/worktrees/w/commondir", "../..\n")
	write("w/.git", "gitdir: "+filepath.Join(dir, "a/.git/worktrees/w")+"\n")
	write("plain/file", "")
	for folder, want := range map[string]string{"a": "acme/shop", "a/deep/er": "acme/shop", "b": "acme/api", "c": "c",
		"w": "acme/shop", "plain": "plain", "a/gone/folder": "acme/shop"} {
		golden.Equal(t, folder, memory.ProjectOf(filepath.Join(dir, folder)), want)
	}
	for _, name := range []string{"acme/shop", "", "shop"} {
		golden.Equal(t, "the project", memory.ProjectOf(name), name)
	}
	golden.Equal(t, "the project", memory.ProjectOf(`C:\work\shop`), "shop")
}
