package memory_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/memory"
	"nomograph/memory/conversations"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

func TestForget_SessionOrConversation_RemovesEveryPart(t *testing.T) {
	g, env := toolstest.Open(t)
	for i, who := range []trace.SessionSelector{{Agent: "Ada", Workspace: "acme/shop", SessionID: "s1"},
		{Agent: "Ada", Workspace: "acme/shop", SessionID: "s2"}} {
		for n := range 3 {
			env.Trace.Project = "acme/shop"
			for _, event := range []trace.Event{{Type: "thought",
				Payload: map[string]any{"text": fmt.Sprintf("secret plan %d of session %d: %s", n, i,
					strings.Repeat("the orders wait for a lock ", 12))}},
				{Type: "session.ended", Payload: map[string]any{"summary": "done"}}} {
				graphtest.Must(env.Trace.Append(t.Context(), who, event))(t)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "c.jsonl")
	talk := ""
	for i := range 4 {
		talk += fmt.Sprintf(`{"session":"c","role":"user","content":"Question %d about %s","project":"acme/api"}`+"\n"+
			`{"session":"c","role":"assistant","content":"Answer %d"}`+"\n", i,
			strings.Repeat("the api and its limits ", 15), i)
	}
	graphtest.OK(t, os.WriteFile(path, []byte(talk), 0o600))
	bring := func(want int64) {
		t.Helper()
		out, err := env.Conversations.Import(t.Context(), path, conversations.Options{})
		if err != nil || out.ChunksCreated != want {
			t.Fatalf("got %v %+v, want ChunksCreated=%v", err, out, want)
		}
	}
	bring(4)
	remembered(t, env)
	verified := func(forgotten int64) {
		t.Helper()
		v, err := env.Trace.Verify(t.Context(), trace.VerifyRequest{})
		if err != nil || !v.Intact || v.Forgotten != forgotten {
			t.Errorf("got %v %+v, want Intact=true, Forgotten=%v", err, v, forgotten)
		}
	}
	verified(0)
	no := false
	chunks := func() any { return one(t, g, "MATCH (c:Chunk) RETURN count(c) AS n") }
	all := chunks()

	for name, tt := range map[string]struct {
		request memory.ForgetRequest
		want    apperr.Code
	}{
		"nothing named":   {memory.ForgetRequest{}, apperr.Validation},
		"no such project": {memory.ForgetRequest{Project: "gone"}, apperr.NotFound},
		"no such session": {memory.ForgetRequest{SessionID: "gone"}, apperr.NotFound},
		"no time":         {memory.ForgetRequest{After: "whenever"}, apperr.Validation},
	} {
		if _, err := env.Memory.Forget(t.Context(), tt.request); !apperr.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	dry, err := env.Memory.Forget(t.Context(), memory.ForgetRequest{Project: "shop"})
	if err != nil || !dry.DryRun || dry.Chunks != 6 || dry.Sessions != 2 || len(dry.First) != 6 ||
		!strings.Contains(toolstest.Text(dry), "secret plan 0") || chunks() != all {
		t.Errorf(`got %v %+v, want DryRun=true, Chunks=6, Sessions=2, len(First)=6, toolstest.Text(dry) with "secret plan 0", chunks()=%v`, err, dry, all)
	}
	found, err := env.Memory.Forget(t.Context(), memory.ForgetRequest{Query: "Limits api"})
	if err != nil || found.Chunks != 4 {
		t.Errorf("got %v %+v, want Chunks=4", err, found)
	}

	t.Run("a session", func(t *testing.T) {
		out, err := env.Memory.Forget(t.Context(), memory.ForgetRequest{SessionID: "s1", DryRun: &no,
			Reason: "asked for", By: "Ada"})
		if err != nil || out.Chunks != 3 || out.Events != 6 || out.Sessions != 1 {
			t.Fatalf("got %v %+v, want Chunks=3, Events=6, Sessions=1", err, out)
		}
		verified(6)
		for _, format := range []string{trace.FormatLines, trace.FormatTRACE} { // exported sessions verify too
			exported := graphtest.Must(env.Trace.Export(t.Context(),
				trace.ExportRequest{SessionID: "s1", Format: format}))(t)
			if v, err := trace.VerifyText(exported.Text); err != nil || !v.Intact || v.Forgotten != 6 || v.Events != 7 {
				t.Errorf("%s: got %v %+v\n%s, want Intact=true, Forgotten=6, Events=7", format, err, v, exported.Text)
			}
			lines := strings.SplitAfter(exported.Text, "\n")
			if v, err := trace.VerifyText(strings.Join(lines[:6], "")); err != nil ||
				v.Intact { // without the event that records the deletion
				t.Errorf("%s: got %v %+v, want Intact=false", format, err, v)
			}
		}
		if n := one(t, g, "MATCH (n) WHERE any(key IN keys(n) WHERE n[key] IS :: STRING AND n[key] CONTAINS 'of session 0') RETURN count(n) AS n"); n != int64(0) {
			t.Errorf("%v nodes still say it", n)
		}
		remembered(t, env)
		countsHold(t, g)
		if got := one(t, g, "MATCH (c:Chunk)-[:FROM]->(:Session {id: 's1'}) RETURN count(c) AS n"); got != int64(0) {
			t.Errorf("%v came back", got)
		}
		graphtest.Must(env.Trace.Append(t.Context(), trace.SessionSelector{Agent: "Ada", SessionID: "s1"},
			trace.Event{Type: "thought", Payload: map[string]any{"text": "it goes on"}}))(t)
		remembered(t, env)
		if got := one(t, g, "MATCH (c:Chunk)-[:FROM]->(:Session {id: 's1'}) RETURN c.text AS text"); got != "Thought: it goes on" {
			t.Error(got)
		}
	})

	t.Run("an event that lost its payload without a record", func(t *testing.T) {
		g.Exec(t, "MATCH (s:Session {id: 's2'})-[:RECORDED]->(e {seq: 2}) SET e.kept = e.payload, e.forgotten_at = datetime() REMOVE e.payload", nil)
		v, err := env.Trace.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{"s2"}})
		if err != nil || len(v.Problems) != 2 || v.Problems[1].Problem != "hash_mismatch" {
			t.Errorf("got %v %+v, want an extra_property and a hash_mismatch", err, v)
		}
		g.Exec(t, "MATCH (s:Session {id: 's2'})-[:RECORDED]->(e {seq: 2}) SET e.payload = e.kept REMOVE e.kept, e.forgotten_at", nil)
	})

	t.Run("a part of a conversation, and all of it", func(t *testing.T) {
		uid := one(t, g, "MATCH (c:Chunk {position: 1})-[:FROM]->(:Session {external_id: 'c'}) RETURN c.uid AS uid").(string)
		if out, err := env.Memory.Forget(t.Context(),
			memory.ForgetRequest{IDs: []string{uid}, DryRun: &no}); err != nil || out.Chunks != 1 {
			t.Fatalf("got %v %+v, want Chunks=1", err, out)
		}
		talk += `{"session":"c","role":"user","content":"Question 4"}` + "\n"
		graphtest.OK(t, os.WriteFile(path, []byte(talk), 0o600))
		bring(1)
		if n := one(t, g, "MATCH (c:Chunk) WHERE c.text CONTAINS 'Question 1' RETURN count(c) AS n"); n != int64(0) {
			t.Error("it came back")
		}
		title := func() string {
			return fmt.Sprint(one(t, g, "MATCH (s:Session {external_id: 'c'}) RETURN s.title AS title"))
		}
		if got := title(); !strings.HasPrefix(got, "Question 0 about the api") {
			t.Errorf("got title %q, want the first question, which is not forgotten", got)
		}
		graphtest.Fails(env.Memory.Forget(t.Context(), memory.ForgetRequest{Project: "api", DryRun: &no}))(t,
			apperr.Validation)
		if out, err := env.Memory.Forget(t.Context(),
			memory.ForgetRequest{Project: "acme/api", DryRun: &no}); err != nil || out.Chunks != 4 {
			t.Fatalf("got %v %+v, want Chunks=4", err, out)
		}
		bring(0)
		talk += `{"session":"c","role":"assistant","content":"Answer 4"}` + "\n" +
			`{"session":"c","role":"user","content":"Question 5"}` + "\n"
		graphtest.OK(t, os.WriteFile(path, []byte(talk), 0o600))
		bring(1)
		if text := one(t, g, "MATCH (c:Chunk)-[:FROM]->(:Session {external_id: 'c'}) RETURN c.text AS text"); text != "User: Question 5" {
			t.Error(text)
		}
		if got := title(); got != "<nil>" {
			t.Errorf("got title %q of a conversation whose first question is forgotten", got)
		}
		if n := one(t, g, "MATCH (f:ForgottenChunk) WHERE f.text IS NOT NULL OR f.hash IS NULL RETURN count(f) AS n"); n != int64(0) {
			t.Error(n)
		}
	})

	t.Run("stats", func(t *testing.T) {
		got, err := env.Memory.Stats(t.Context())
		if err != nil || got.Chunks != one(t, g, "MATCH (c:Chunk) RETURN count(c) AS n") || got.Forgotten != 8 ||
			got.Projects != 2 || got.Marked != 0 || len(got.Sources) != 1 || got.Sources[0].Chunks != 1 {
			t.Errorf(`got %v %+v, want Chunks=one(t, g, "MATCH (c:Chunk) RETURN count(c) AS n"), Forgotten=8, Projects=2, Marked=0, len(Sources)=1, Chunks=1`, err, got)
		}
	})
}

// conversed imports a conversation of 25 chunks in two projects.
func conversed(t *testing.T, env *tools.App) {
	t.Helper()
	talk := ""
	for i := range 25 {
		words := fmt.Sprintf("Number %d: %s", i, strings.Repeat("the orders and their deadlines ", 15))
		if i == 7 {
			words = "Please write to jane.doe@example.org. " + words
		}
		talk += fmt.Sprintf(`{"session":"c%d","role":"user","content":"%s","project":"acme/%d"}`+"\n", i, words, i%2)
	}
	path := filepath.Join(t.TempDir(), "c.jsonl")
	graphtest.OK(t, os.WriteFile(path, []byte(talk), 0o600))
	if out, err := env.Conversations.Import(t.Context(), path, conversations.Options{}); err != nil ||
		out.ChunksCreated != 25 {
		t.Fatalf("got %v %+v, want ChunksCreated=25", err, out)
	}
	remembered(t, env)
}

// TestForget_Query_FindsWordsAndNothingElse: a word that occurs in no chunk once erased all of them, because each
// chunk has a cosine similarity to it.
func TestForget_Query_FindsWordsAndNothingElse(t *testing.T) {
	_, env := toolstest.Open(t)
	conversed(t, env)
	no, minimum := false, 0.99
	for query, want := range map[string]int64{"xyzzyqwert": 0, "deadline": 0, "dead": 0, "orders xyzzy": 0, "order": 0,
		"orders": 25, "DEADLINES Orders": 25, "jane.doe@example.org": 1, "doe@example": 1, "doe@exampl": 0, "7:": 1,
		"17:": 1} {
		out, err := env.Memory.Forget(t.Context(), memory.ForgetRequest{Query: query})
		if err != nil || out.Chunks != want {
			t.Errorf("%q: %d chunks, want %d: %v", query, out.Chunks, want, err)
		}
	}
	for name, r := range map[string]memory.ForgetRequest{"no word": {Query: "--"},
		"similar to nothing": {Similar: &minimum}} {
		if _, err := env.Memory.Forget(t.Context(), r); !apperr.Is(err, apperr.Validation) {
			t.Errorf("%s: got %v, want %s", name, err, apperr.Validation)
		}
	}
	if out, err := env.Memory.Forget(t.Context(),
		memory.ForgetRequest{Query: "xyzzyqwert", Similar: &minimum, DryRun: &no}); err != nil || out.Chunks != 0 {
		t.Errorf("by meaning: %v %+v", err, out)
	}
	if out, err := env.Memory.Forget(t.Context(),
		memory.ForgetRequest{Query: "jane.doe@example.org", DryRun: &no}); err != nil || out.Chunks != 1 {
		t.Errorf("got %v %+v, want Chunks=1", err, out)
	}
}

// TestForget_MoreThanTen_NeedTheirNumber holds for every transport, because the operation requires the number.
func TestForget_MoreThanTen_NeedTheirNumber(t *testing.T) {
	g, env := toolstest.Open(t)
	conversed(t, env)
	chunks := func() any { return one(t, g, "MATCH (c:Chunk) RETURN count(c) AS n") }
	forget, _ := tools.Find(tools.Catalog, "forget")
	run := func(arguments string) (memory.ForgetResult, error) {
		out, err := forget.Run(t.Context(), env, json.RawMessage(arguments))
		forgotten, _ := out.(memory.ForgetResult)
		return forgotten, err
	}
	for _, arguments := range []string{`{"query": "orders", "dry_run": false}`,
		`{"query": "orders", "dry_run": false, "confirm": 24}`, `{"after": "2000-01-01", "dry_run": false}`,
		`{"query": "7:", "dry_run": false, "confirm": 3}`} {
		if _, err := run(arguments); !apperr.Is(err, apperr.Conflict) || apperr.From(err).Details["confirm"] == nil ||
			chunks() != int64(25) {
			t.Errorf("%s: %v, %v chunks", arguments, err, chunks())
		}
	}
	if out, err := run(`{"query": "orders"}`); err != nil || len(out.First) != 25 ||
		!strings.Contains(toolstest.Text(out), "confirm 25") {
		t.Errorf(`got %v %+v, want len(First)=25, out with "confirm 25"`, err, out)
	}
	if out, err := run(`{"query": "7:", "dry_run": false}`); err != nil || out.Chunks != 1 {
		t.Errorf("ten or fewer: %v %+v", err, out)
	}
	if out, err := run(`{"query": "orders", "dry_run": false, "confirm": 24}`); err != nil || out.Chunks != 24 ||
		chunks() != int64(0) {
		t.Errorf("confirmed: %v %+v", err, out)
	}
}
