package conversations_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/memory/conversations"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

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

func imported(t *testing.T, env *tools.App, path string, o conversations.Options) conversations.Imported {
	t.Helper()
	return graphtest.Must(env.Conversations.Import(t.Context(), path, o))(t)
}

// claude writes a session file with the given number of turns. The last one may be incomplete.
func claude(t *testing.T, path, session string, turns int, half bool) {
	t.Helper()
	var text strings.Builder
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for i := range turns {
		fmt.Fprintf(&text, `{"sessionId":%q,"cwd":"/nowhere/shop","type":"user","message":{"role":"user","content":"Question %d: %s in %s"},"uuid":"u%d","timestamp":%q}`+"\n", session, i, strings.Repeat("why does the import of orders wait ", 5), session, i, at.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
		if i < turns-1 || !half {
			fmt.Fprintf(&text, `{"sessionId":%q,"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Answer %d: %s token=ghp_%s"}]},"uuid":"a%d","timestamp":%q}`+"\n", session, i, strings.Repeat("since a lock is held ", 10), strings.Repeat("a1B2", 9), i, at.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
		}
	}
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	graphtest.OK(t, os.WriteFile(path, []byte(text.String()), 0o600))
}

func text(t *testing.T, g *graphtest.Graph) string {
	t.Helper()
	return fmt.Sprint(one(t, g, "MATCH (c:Chunk) WITH c ORDER BY c.session, c.position RETURN reduce(all = '', c IN collect(c) | all + c.text + '\n') AS text"))
}

// whole reports whether each question and answer up to turns is stored exactly once, in order.
func whole(t *testing.T, g *graphtest.Graph, turns int) {
	t.Helper()
	all, at := text(t, g), 0
	for i := range turns {
		for _, want := range []string{fmt.Sprintf("Question %d:", i), fmt.Sprintf("Answer %d:", i)} {
			if strings.Count(all, want) != 1 || strings.Index(all, want) < at {
				t.Fatalf("%q is there %d times, at %d after %d", want, strings.Count(all, want),
					strings.Index(all, want), at)
			}
			at = strings.Index(all, want)
		}
	}
	for name, query := range map[string]string{
		"projects": "MATCH (p:MemoryProject) CALL (p) { MATCH (c:Chunk) WHERE toLower(c.project) = p.key RETURN count(c) AS n, sum(c.tokens) AS tokens } WITH p, n, tokens WHERE p.chunks <> n OR p.tokens <> tokens RETURN count(p) AS n",
		"sessions": "MATCH (s:Session) CALL (s) { MATCH (c:Chunk {session: s.uid}) RETURN count(c) AS n, sum(c.tokens) AS tokens } WITH s, n, tokens WHERE s.chunks <> n OR s.tokens <> tokens RETURN count(s) AS n",
		"chains":   "MATCH (c:Chunk) WHERE c.position > 0 AND COUNT { (c)<-[:NEXT]-(:Chunk {position: c.position - 1}) } <> 1 OR COUNT { (c)-[:FROM]->(:Session) } <> 1 RETURN count(c) AS n",
	} {
		if n := one(t, g, query); n != int64(0) {
			t.Errorf("%s: got %v, want 0", name, n)
		}
	}
}

func TestImport_SameFiles_ImportsOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "p", "s1.jsonl")

	claude(t, path, "s1", 6, true)
	if out := imported(t, env, dir, conversations.Options{DryRun: true}); out.New != 1 || out.ChunksCreated != 6 {
		t.Errorf("dry: %+v", out)
	}
	if n := one(t, g, "MATCH (c:Chunk) RETURN count(c) AS n"); n != int64(0) {
		t.Fatal(n)
	}
	if out := imported(t, env, dir, conversations.Options{}); out.New != 1 || out.ChunksCreated != 6 ||
		out.Files != 1 || out.Conversations != 1 || len(out.Notes) != 0 {
		t.Errorf("first: %+v", out)
	}
	if n := one(t, g, "MATCH (c:Chunk)<-[:OF]-(:ChunkEmbedding) WHERE NOT c:UnindexedChunk RETURN count(DISTINCT c) AS n"); n != int64(6) {
		t.Errorf("%v have vectors", n)
	}
	if strings.Contains(text(t, g), "ghp_a1B2") || !strings.Contains(text(t, g), "[redacted]") {
		t.Error("got a stored secret, want [redacted]")
	}
	if title := fmt.Sprint(one(t, g, "MATCH (s:Session) RETURN s.title AS title")); !strings.HasPrefix(title,
		"Question 0: why does the import of orders wait") || len(title) > 85 {
		t.Errorf("got title %q, want the beginning of the first question", title)
	}
	session := g.Rows(t, "MATCH (s:Session) RETURN s.id AS id, s.kind AS kind, s.source AS source, s.external_id AS external, s.project AS project, s.count AS count", nil)[0]
	if fmt.Sprint(session) != "map[count:0 external:s1 id:claude-code:s1 kind:imported project:shop source:claude-code]" {
		t.Error(session)
	}
	if v, err := env.Trace.Verify(t.Context(), verifyAll); err != nil || !v.Intact {
		t.Errorf("got %v %+v, want Intact=true", err, v)
	}

	t.Run("again changes nothing", func(t *testing.T) {
		before := one(t, g, "MATCH (s:Session) RETURN s.memory_version AS v")
		if out := imported(t, env, dir, conversations.Options{}); out.Unchanged != 1 ||
			out.ChunksCreated+out.ChunksChanged+out.ChunksRemoved != 0 {
			t.Errorf("got %+v, want Unchanged=1, (out.ChunksCreated + out.ChunksChanged + out.ChunksRemoved)=0", out)
		}
		if after := one(t, g, "MATCH (s:Session) RETURN s.memory_version AS v"); after != before {
			t.Errorf("got memory version %v, want %v unchanged", after, before)
		}
	})

	t.Run("new messages are added", func(t *testing.T) {
		claude(t, path, "s1", 6, false)
		if out := imported(t, env, dir, conversations.Options{}); out.Grown != 1 || out.ChunksCreated != 0 ||
			out.ChunksChanged != 1 {
			t.Errorf("the answer: %+v", out)
		}
		claude(t, path, "s1", 9, false)
		if out := imported(t, env, dir, conversations.Options{}); out.Grown != 1 || out.ChunksCreated != 3 ||
			out.ChunksChanged != 0 {
			t.Errorf("three more: %+v", out)
		}
		whole(t, g, 9)
	})

	t.Run("an older copy removes nothing", func(t *testing.T) {
		older := filepath.Join(t.TempDir(), "s1.jsonl")
		claude(t, older, "s1", 4, true)
		if out := imported(t, env, older, conversations.Options{}); out.Unchanged != 1 || out.ChunksRemoved != 0 {
			t.Errorf("got %+v, want Unchanged=1, ChunksRemoved=0", out)
		}
		whole(t, g, 9)
	})

	t.Run("a changed source changes the memory", func(t *testing.T) {
		file, _ := os.ReadFile(path)
		changed := strings.Replace(string(file), "Question 2: why", "Question 2: I wonder why", 1)
		graphtest.OK(t, os.WriteFile(path, []byte(changed), 0o600))
		if out := imported(t, env, dir, conversations.Options{}); out.Grown != 1 || out.ChunksChanged != 1 ||
			out.ChunksCreated != 0 {
			t.Errorf("got %+v, want Grown=1, ChunksChanged=1, ChunksCreated=0", out)
		}
		whole(t, g, 9)
		if !strings.Contains(text(t, g), "I wonder why") {
			t.Error("the change is not there")
		}
	})

	t.Run("nothing to import", func(t *testing.T) {
		graphtest.Fails(env.Conversations.Import(t.Context(), filepath.Join(dir, "gone"),
			conversations.Options{}))(t, apperr.Validation)
		graphtest.Fails(env.Conversations.Import(t.Context(), t.TempDir(), conversations.Options{}))(t,
			apperr.NotFound)
	})
}

func TestImport_KilledMachine_AnotherMachineCompletes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	dir := t.TempDir()
	for i := range 8 {
		claude(t, filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i)), fmt.Sprintf("s%d", i), 3, false)
	}
	big := filepath.Join(dir, "big.jsonl")
	claude(t, big, "big", 900, false)

	// An import whose caller cancels it halfway.
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if g.Rows(t, "MATCH (c:Chunk) RETURN count(c) > 300 AS some", nil)[0]["some"] == true {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, _ = env.Conversations.Import(ctx, dir, conversations.Options{})
	cancel()

	others := []*tools.App{env, toolstest.App(t, g.DB), toolstest.App(t, g.DB)}
	done := make(chan error)
	for _, other := range others {
		go func() {
			_, err := other.Conversations.Import(context.Background(), dir, conversations.Options{})
			done <- err
		}()
	}
	for range others {
		graphtest.OK(t, graphtest.Receive(t, "an import ends", done))
	}
	if n := one(t, g, "MATCH (s:Session) RETURN count(s) AS n"); n != int64(9) {
		t.Error(n)
	}
	g.Exec(t, "MATCH (s:Session) WHERE s.external_id <> 'big' MATCH (c:Chunk {session: s.uid}) DETACH DELETE c DELETE s", nil)
	g.Exec(t, "MATCH (p:MemoryProject) DELETE p", nil)
	g.Exec(t, "MATCH (s:Session) CREATE (:MemoryProject {key: 'shop', name: 'shop', chunks: s.chunks, tokens: s.tokens})", nil)
	whole(t, g, 900)
}

func TestImport_GrowingFile_ImportsNewTurns(t *testing.T) {
	g, env := toolstest.Open(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "s1.jsonl")
	claude(t, path, "s1", 2, false)
	ctx, stop := context.WithCancel(t.Context())
	heard, ended := make(chan conversations.Imported, 10), make(chan conversations.Imported)
	go func() {
		sum, err := env.Conversations.Watch(ctx, dir, conversations.Options{},
			func(i conversations.Imported) { heard <- i })
		if err != nil {
			t.Error(err)
		}
		ended <- sum
	}()
	graphtest.Receive(t, "the file is imported", heard)
	half := graphtest.Must(os.ReadFile(path))(t)
	claude(t, path, "s1", 4, false)
	full := graphtest.Must(os.ReadFile(path))(t)
	if err := os.WriteFile(path, full[:len(half)+200], 0o600); err != nil { // within a line
		t.Fatal(err)
	}
	graphtest.OK(t, os.WriteFile(path, full, 0o600))
	for graphtest.Receive(t, "what the file grew by is imported", heard).ChunksCreated == 0 {
	}
	stop()
	if sum := graphtest.Receive(t, "the watch ends", ended); sum.New != 1 || sum.Grown < 1 || sum.SkippedCount != 0 {
		t.Errorf("got %+v, want New=1, Grown at least 1, SkippedCount=0", sum)
	}
	whole(t, g, 4)
}

var verifyAll = trace.VerifyRequest{}
