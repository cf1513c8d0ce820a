package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/graph/engine"
	"nomograph/internal/tokencount"
	importing "nomograph/memory/conversations"
	"nomograph/memory/recall"
)

const (
	// copyChunks multiplies the imported chunks with their vectors.
	copyChunks = `MATCH (c:Chunk {kind: 'conversation'})<-[:OF]-(e:ChunkEmbedding) WHERE c.project <> 'many'
	              WITH c, e ORDER BY c.uid WITH collect({chunk: c, embedding: e}) AS originals
	              UNWIND range($from, $to - 1) AS i
	              WITH i, originals[i % size(originals)] AS original
	              CREATE (c:Chunk)<-[:OF]-(e:ChunkEmbedding)
	              SET c = original.chunk {.*, uid: 'many-' + i, project: 'many', session: 'many-' + i / 20, position: i % 20, hash: 'many-' + i,
	                      text: original.chunk.text + ' ' + i},
	                  e = original.embedding {.model, .passage, uid: 'many-' + i}
	              WITH e, original
	              CALL db.create.setNodeVectorProperty(e, 'text', original.embedding.text)`
	oneSession = `MATCH (c:Chunk {kind: 'conversation'}) WHERE c.project <> 'many' RETURN c.project AS project, c.session AS session LIMIT 1`
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

// memory measures how well memory finds earlier statements, with conversations whose questions name their evidence, and
// the cost of questions.
func (b *bench) memory(ctx context.Context) ([]row, error) {
	dialogues, err := readLines[dialogue](filepath.Join(*data, "conversations", "conversations.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "No conversations, so memory is not measured")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	inquiries, err := readLines[inquiry](filepath.Join(*data, "conversations", "questions.jsonl"))
	if err != nil {
		return nil, err
	}
	b.app.Remember() // as in a server, whose answers do not wait for the indexing of new events
	turns, err := b.converse(ctx, dialogues)
	if err != nil {
		return nil, err
	}
	rows, err := b.evidence(ctx, dialogues, inquiries, turns)
	if err != nil {
		return nil, err
	}
	if err := b.inBatches(ctx, copyChunks, *chunks); err != nil {
		return nil, err
	}
	of, err := b.rows(ctx, oneSession, nil)
	if err != nil {
		return nil, err
	}
	// An engine chooses its page cache from the size of the graph at its start.
	if err := errors.Join(engine.Stop(ctx, b.options), b.command(ctx, "engine", "start")); err != nil {
		return nil, err
	}
	var questions []string
	for _, q := range inquiries[:200] {
		questions = append(questions, q.Question)
	}
	vectors, err := embedded(ctx, questions)
	both := b.hybrid(ctx, "chunk_embedding_text", "chunk_text", questions, vectors)
	ask := func(i int) map[string]any { return map[string]any{"query": questions[i%len(questions)]} }
	session := same(map[string]any{"project": of[0].Values[0], "session_id": of[0].Values[1]})
	for _, one := range []struct {
		name      string
		arguments func(i int) map[string]any
	}{{"recall", ask}, {"search", ask}, {"reconstruct", session}} {
		rows = append(rows, row{name: fmt.Sprintf("%s, %d chunks", one.name, *chunks), floor: both,
			work: timed(func(i int) error {
				_, err := b.inProcess(ctx, one.name, one.arguments(i))
				return err
			})})
	}
	return rows, err
}

// converse imports the conversations as a user would, each as its own project, and returns the turns by text.
func (b *bench) converse(ctx context.Context, dialogues []dialogue) (map[string]string, error) {
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
				lines.Write(asJSON(map[string]any{"session": fmt.Sprintf("%s-%d", d.ID, s.Session),
					"speaker": turn.Speaker, "text": turn.Text, "at": at.Format(time.RFC3339)}))
				lines.WriteByte('\n')
			}
		}
		file := filepath.Join(b.folder(), d.ID+".jsonl")
		if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
			return nil, err
		}
		if _, err := b.app.Conversations.Import(ctx, file, importing.Options{Project: d.ID}); err != nil {
			return nil, err
		}
	}
	if err := b.app.Chunks.Drain(ctx); err != nil {
		return nil, err
	}
	return turns, b.run(ctx, upToDate, nil)
}

// share returns the share of the wanted among the first found.
func share(found []string, limit int, wanted map[string]bool) float64 {
	hits := 0.0
	for _, one := range found[:min(limit, len(found))] {
		if wanted[one] {
			hits++
		}
	}
	return hits / float64(max(len(wanted), 1))
}

// measures of the found evidence: its share among so many sessions or turns.
var measures = []struct {
	sessions bool
	limit    int
}{{true, 5}, {true, 10}, {false, 5}, {false, 10}, {false, 20}}

// shares returns for each measure how much of the evidence is among what was found.
func (q inquiry) shares(found recall.Found, turns map[string]string) (shares []float64) {
	sessions, names := make([]string, len(found.Sessions)), make([]string, len(found.Messages))
	for i, id := range found.Sessions {
		_, sessions[i], _ = strings.Cut(id, ":") // remove the source prefix
	}
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
	for _, m := range measures {
		if m.sessions {
			shares = append(shares, share(sessions, m.limit, wanted))
		} else {
			shares = append(shares, share(names, m.limit, turnsWanted))
		}
	}
	return shares
}

// evidence asks every question in its conversation. Weights were fitted to every other conversation.
func (b *bench) evidence(ctx context.Context, dialogues []dialogue, inquiries []inquiry,
	turns map[string]string) ([]row, error) {
	fitted := map[string]bool{}
	for i, d := range dialogues {
		fitted[d.ID] = i%2 == 0
	}
	groups := [2]string{"all conversations", "other conversations"}
	var sums [2][]float64
	for i := range sums {
		sums[i] = make([]float64, len(measures)+1) // the last is the number of questions
	}
	longest := 0
	for _, q := range inquiries {
		found, err := b.app.Recall.Find(ctx, recall.Question{Text: q.Question, Project: q.Conversation})
		if err != nil {
			return nil, err
		}
		answer, err := b.app.Recall.Recall(ctx, recall.RecallQuery{Query: q.Question,
			Limits: recall.Limits{Project: q.Conversation}})
		if err != nil {
			return nil, err
		}
		longest = max(longest, tokencount.Tokens(answer.String()), tokencount.Tokens(string(asJSON(answer))))
		shares := q.shares(found, turns)
		for i := range groups {
			if i == 0 || !fitted[q.Conversation] {
				for k, one := range shares {
					sums[i][k] += one
				}
				sums[i][len(measures)]++
			}
		}
	}
	rows := []row{{name: "longest answer of recall", unit: "tokens", times: 1, work: known(float64(longest)),
		floor: floor{"limit", known(recall.DefaultTokens)}}}
	for i, group := range groups {
		n := sums[i][len(measures)]
		for k, m := range measures {
			what := map[bool]string{true: "sessions", false: "turns"}[m.sessions]
			rows = append(rows, once(fmt.Sprintf("evidence in the first %d %s, %s, %.0f questions", m.limit, what,
				group, n), "%", known(100*sums[i][k]/n)))
		}
	}
	return rows, nil
}
