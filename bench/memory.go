package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/engine"
	"nomograph/internal/tokencount"
	"nomograph/internal/uid"
	importing "nomograph/memory/conversations"
	"nomograph/memory/recall"
	"nomograph/search"
	"nomograph/tools"
)

var maxChunks = flag.Int("chunks", 100_000, "chunks of memory that searches run over")

const (
	bareChunkText  = `CALL db.index.fulltext.queryNodes('chunk_text', $text, {limit: $k}) YIELD node, score RETURN node, score`
	bareChunkNear  = `CALL db.index.vector.queryNodes('chunk_embedding_text', $k, $vector) YIELD node, score MATCH (node)-[:OF]->(c:Chunk) RETURN c, score`
	manyChunks     = `UNWIND $rows AS row CREATE (c:Chunk) SET c = row.chunk CREATE (e:ChunkEmbedding {uid: row.chunk.uid, model: $model, passage: 0})-[:OF]->(c) WITH e, row CALL db.create.setNodeVectorProperty(e, 'text', row.vector)`
	textsOfMemory  = `MATCH (c:Chunk) WHERE c.kind = 'conversation' RETURN c.text AS text ORDER BY c.uid`
	rebuiltSession = `MERGE (s:Session {uid: $session}) SET s.id = $session, s.agent = 'bench', s.project = 'bench', s.remembered_from = datetime('2026-01-01T00:00:00Z'), s.remembered_to = datetime('2026-01-02T00:00:00Z'), s.chunks = $chunks, s.tokens = 0
		MERGE (p:MemoryProject {key: 'bench'}) SET p.name = 'bench', p.chunks = $chunks, p.tokens = 0, p.first_at = datetime('2026-01-01T00:00:00Z'), p.last_at = datetime('2026-01-02T00:00:00Z')`
	chunksRead   = 20  // results of a bare query
	eventsChunks = 100 // chunks of a session with 2,000 events, about 20 events per chunk
)

// dialogue is a long conversation in sessions, in the format of the conversation file.
type dialogue struct {
	ID       string
	Sessions []struct {
		Session int
		At      string
		Turns   []struct{ ID, Speaker, Text string }
	}
}

// inquiry is a question with the turns and sessions that answer it.
type inquiry struct {
	Conversation, Question string
	Evidence               []string
	Sessions               []int
}

// remembered measures how well memory finds earlier statements, with conversations whose questions name their evidence,
// and the cost of questions.
func (b *bench) remembered(ctx context.Context) error {
	dialogues, err := readLines[dialogue](filepath.Join(*data, "conversations", "conversations.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprint(&b.report, "\n## Memory\n\nNot measured: there are no conversations.\n")
		return nil
	}
	if err != nil {
		return err
	}
	inquiries, err := readLines[inquiry](filepath.Join(*data, "conversations", "questions.jsonl"))
	if err != nil {
		return err
	}
	return b.onOwnEngine(ctx, "memory", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		app.Remember() // as in a server, whose answers do not wait for the indexing of new events
		turns, err := own.converse(ctx, app, driver, dialogues)
		if err != nil {
			return err
		}
		if err := own.evidence(ctx, app, dialogues, inquiries, turns); err != nil {
			return err
		}
		if err := own.fillMemory(ctx, driver); err != nil {
			return err
		}
		// An engine chooses its page cache from the size of the graph at its start.
		if err := engine.Stop(ctx, own.options); err != nil {
			return err
		}
		return own.started(ctx, func(driver neo4j.DriverWithContext, app *tools.App) error {
			return own.asking(ctx, app, driver, inquiries)
		})
	})
}

func readLines[T any](file string) (all []T, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, one)
	}
	return all, lines.Err()
}

// converse imports the conversations as a user would, each as its own project, and returns the turns by text.
func (b *bench) converse(ctx context.Context, app *tools.App, driver neo4j.DriverWithContext, dialogues []dialogue) (map[string]string, error) {
	folder, err := os.MkdirTemp("", "nomograph-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	turns := map[string]string{}
	for _, d := range dialogues {
		var lines strings.Builder
		for _, s := range d.Sessions {
			at, err := time.Parse("3:04 pm on 2 January, 2006", s.At)
			if err != nil {
				return nil, err
			}
			for _, turn := range s.Turns {
				turns[d.ID+"|"+turn.Speaker+": "+strings.TrimSpace(turn.Text)] = turn.ID
				lines.Write(asJSON(map[string]any{"session": fmt.Sprintf("%s-%d", d.ID, s.Session), "speaker": turn.Speaker, "text": turn.Text, "at": at.Format(time.RFC3339)}))
				lines.WriteByte('\n')
			}
		}
		file := filepath.Join(folder, d.ID+".jsonl")
		if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
			return nil, err
		}
		if _, err := app.Conversations.Import(ctx, file, importing.Options{Project: d.ID}); err != nil {
			return nil, err
		}
	}
	if err := app.Chunks.Drain(ctx); err != nil {
		return nil, err
	}
	return turns, runOnDriver(ctx, driver, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
}

// evidenceShare sums up the shares of found evidence.
type evidenceShare struct{ sessions5, sessions10, turns5, turns10, turns20, questions float64 }

func share[T comparable](found []T, limit int, wanted map[T]bool) float64 {
	hits := 0.0
	for _, one := range found[:min(limit, len(found))] {
		if wanted[one] {
			hits++
		}
	}
	return hits / float64(max(len(wanted), 1))
}

// evidence asks every question in its conversation. Weights were fitted to every other conversation.
func (b *bench) evidence(ctx context.Context, app *tools.App, dialogues []dialogue, inquiries []inquiry, turns map[string]string) error {
	fitted := map[string]bool{}
	for i, d := range dialogues {
		fitted[d.ID] = i%2 == 0
	}
	var all [3]evidenceShare // for all conversations, for those to which weights were fitted, and for the others
	over, longest := 0, 0
	for _, q := range inquiries {
		found, err := app.Recall.Find(ctx, recall.Question{Text: q.Question, Project: q.Conversation})
		if err != nil {
			return err
		}
		answer, err := app.Recall.Recall(ctx, recall.RecallQuery{Query: q.Question, Limits: recall.Limits{Project: q.Conversation}})
		if err != nil {
			return err
		}
		tokens := max(tokencount.Tokens(answer.String()), tokencount.Tokens(string(asJSON(answer))))
		if longest = max(longest, tokens); tokens > recall.DefaultTokens {
			over++
		}
		sessions := make([]string, len(found.Sessions))
		for i, id := range found.Sessions {
			_, sessions[i], _ = strings.Cut(id, ":") // remove the source prefix
		}
		names := make([]string, len(found.Messages))
		for i, m := range found.Messages {
			names[i] = turns[q.Conversation+"|"+m.Text]
		}
		wanted, turnsWanted := map[string]bool{}, map[string]bool{}
		for _, n := range q.Sessions {
			wanted[fmt.Sprintf("%s-%d", q.Conversation, n)] = true
		}
		for _, id := range q.Evidence {
			turnsWanted[id] = true
		}
		part := 2
		if fitted[q.Conversation] {
			part = 1
		}
		for _, i := range []int{0, part} {
			r := &all[i]
			r.sessions5 += share(sessions, 5, wanted)
			r.sessions10 += share(sessions, 10, wanted)
			r.turns5 += share(names, 5, turnsWanted)
			r.turns10 += share(names, 10, turnsWanted)
			r.turns20 += share(names, 20, turnsWanted)
			r.questions++
		}
	}
	fmt.Fprintf(&b.report, "\n## Memory\n\n### What is found of the evidence\n\nTen long conversations, imported; each question is asked in its own. Share of a question's evidence among the first so many. Weights were fitted to five\n"+
		"of the conversations. No answer of `recall` may have more than %d tokens, as text or as JSON: %d had more, the longest had %d.\n\n"+
		"| conversations | questions | sessions, 5 | 10 | turns, 5 | 10 | 20 |\n|---|---|---|---|---|---|---|\n", recall.DefaultTokens, over, longest)
	for i, r := range all {
		n := r.questions
		fmt.Fprintf(&b.report, "| %s | %.0f | %.4f | %.4f | %.4f | %.4f | %.4f |\n", []string{"all", "fitted to", "the others"}[i], n, r.sessions5/n, r.sessions10/n, r.turns5/n, r.turns10/n, r.turns20/n)
	}
	return nil
}

const rebuilt = "bench-session" // a session with 2,000 events in memory

// fillMemory fills memory with chunks made from shuffled parts of the same conversations.
func (b *bench) fillMemory(ctx context.Context, driver neo4j.DriverWithContext) error {
	rows, err := rowsOnDriver(ctx, driver, textsOfMemory, nil)
	if err != nil {
		return err
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i], _ = row.Values[0].(string)
	}
	embedder, at := search.Builtin(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const batch = 1000
	for first := len(texts); first < *maxChunks; first += batch {
		var rows []any
		var mixed []string
		for i := first; i < min(first+batch, *maxChunks); i++ {
			one, _, _ := strings.Cut(texts[i%len(texts)], "\n\n")
			mixed = append(mixed, fmt.Sprintf("%s\n\n%s %d", one, texts[(i*7+i/len(texts))%len(texts)], i))
		}
		vectors, err := embedder.Embed(ctx, mixed)
		if err != nil {
			return err
		}
		for i, text := range mixed {
			n := first + i - len(texts)
			chunk := map[string]any{"uid": uid.Random(), "project": "many", "agent": "bench", "kind": "conversation", "at": at.Add(time.Duration(n) * time.Second), "ends_at": at.Add(time.Duration(n) * time.Second),
				"tokens": len(text) / 4, "text": text, "hash": fmt.Sprint(i, text), "visibility": "private", "facets": search.Facet("project", "many") + " " + search.MonthFacet(at)}
			if n < eventsChunks {
				chunk["project"], chunk["session"], chunk["position"] = "bench", rebuilt, n
			} else {
				chunk["session"], chunk["position"] = fmt.Sprintf("many-%d", n/20), n%20
			}
			vector := make([]float64, len(vectors[i]))
			for j, x := range vectors[i] {
				vector[j] = float64(x)
			}
			rows = append(rows, map[string]any{"chunk": chunk, "vector": vector})
		}
		if err := runOnDriver(ctx, driver, manyChunks, map[string]any{"rows": rows, "model": embedder.Model()}); err != nil {
			return err
		}
	}
	if err := runOnDriver(ctx, driver, rebuiltSession, map[string]any{"session": rebuilt, "chunks": eventsChunks}); err != nil {
		return err
	}
	return runOnDriver(ctx, driver, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
}

// asking measures the cost of questions to memory.
func (b *bench) asking(ctx context.Context, app *tools.App, driver neo4j.DriverWithContext, inquiries []inquiry) error {
	var asked []string
	for _, q := range inquiries[:200] {
		asked = append(asked, q.Question)
	}
	vectors, err := search.Builtin().Embed(ctx, asked)
	if err != nil {
		return err
	}
	read := &turn{name: "R, a bare read", work: func(int) error { return runOnDriver(ctx, driver, bareRead, map[string]any{"name": "none"}) }}
	hybrid := &turn{name: fmt.Sprintf("H, a bare vector query and a bare full text query for %d each", chunksRead), work: func(i int) error {
		i %= len(asked)
		vector := make([]float64, len(vectors[i]))
		for j, x := range vectors[i] {
			vector[j] = float64(x)
		}
		if err := runBare(ctx, driver, bareChunkNear, map[string]any{"k": chunksRead, "vector": vector}); err != nil {
			return err
		}
		return runBare(ctx, driver, bareChunkText, map[string]any{"k": chunksRead, "text": words(asked[i])})
	}}
	turns := []*turn{read, hybrid}
	for name, ask := range map[string]func(i int) map[string]any{
		"recall":      func(i int) map[string]any { return map[string]any{"query": asked[i%len(asked)]} },
		"search":      func(i int) map[string]any { return map[string]any{"query": asked[i%len(asked)]} },
		"reconstruct": func(int) map[string]any { return map[string]any{"project": "bench", "session_id": rebuilt} },
	} {
		turns = append(turns, &turn{name: "`" + name + "`, in process", work: func(i int) error {
			_, err := inProcess(ctx, app, name, ask(i))
			return err
		}})
	}
	const number = 100
	if err := inTurn(number, 20, turns); err != nil {
		return err
	}
	b.table(fmt.Sprintf("Asking a memory of %d chunks (%s, started with them)", *maxChunks, b.engineMemory()), number, hybrid.taken.p50(), "H", turns)
	fmt.Fprintf(&b.report, "\n1.5 H + 3 R is %.2f ms, and 30 R is %.2f ms.\n", 1.5*hybrid.taken.p50()+3*read.taken.p50(), 30*read.taken.p50())
	return nil
}
