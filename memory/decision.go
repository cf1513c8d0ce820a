package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/internal/uid"
	"nomograph/memory/turns"
)

// Visibilities of chunks. They equal those of decisions.
const (
	Private = "private"
	Project = "project"
	Shared  = "shared"
)

// storedDecision is a decision with its reasons, reviews and session, and its current chunk.
type storedDecision struct {
	Decision         map[string]any
	Retracted        bool
	Forgotten        bool
	Reasons, Reviews []any
	Session          any
	Chunk, Hash      string
	Tokens           int64
	Project          string
	Visibility       any
}

// rememberDecisions updates the chunks of the next marked decisions. It returns the number of marks that it read.
func (s *Store) rememberDecisions(ctx context.Context) (int, error) {
	rows, err := graph.All[struct{ UID string }](ctx, s.graph, cypher.DecisionsWithoutChunks,
		graph.Params{"limit": decisionBatch})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	uids := make([]string, len(rows))
	for i, row := range rows {
		uids[i] = row.UID
	}
	slices.Sort(uids)
	return len(rows), s.graph.Write(ctx, func(tx *graph.Tx) error {
		found, err := graph.All[storedDecision](ctx, tx, cypher.DecisionsClaim, graph.Params{"uids": uids})
		if err != nil {
			return err
		}
		projects := map[string]*tally{}
		keep, remove := []any{}, []any{}
		g := chunkUpdate{projects: projects}
		for _, d := range found {
			if d.Chunk != "" && (d.Retracted || d.Forgotten) {
				remove = append(remove, d.Chunk)
				g.count(d.Project, -1, -d.Tokens)
			}
			if d.Retracted || d.Forgotten {
				continue
			}
			c := s.chunkOf(d)
			if d.Chunk != "" && d.Hash == c.Hash && d.Project == c.Project && d.Visibility == any(c.Visibility) {
				continue
			}
			if d.Chunk != "" {
				g.count(d.Project, -1, -d.Tokens)
			}
			g.count(c.Project, 1, c.Tokens, c.At, c.EndsAt)
			p := c.properties()
			p["decision"] = graph.Text(d.Decision, "uid")
			if c.Session != "" {
				p["session"] = c.Session
			}
			keep = append(keep, map[string]any{"decision": p["decision"], "properties": p})
		}
		if len(remove) > 0 {
			if err := tx.Run(ctx, cypher.ChunksRemove, graph.Params{"uids": remove}); err != nil {
				return err
			}
		}
		if len(keep) > 0 {
			if err := tx.Run(ctx, cypher.DecisionChunksStore, graph.Params{"chunks": keep}); err != nil {
				return err
			}
		}
		return g.updateProjects(ctx, tx)
	})
}

// chunkOf builds the chunk of a decision in its current state.
func (s *Store) chunkOf(d storedDecision) Chunk {
	text := d.text()
	tokens := s.count.Tokens(text)
	if tokens > turns.MaxTokens { // the rest is stored in the decision only
		cutter := turns.Cutter{Tokens: s.count.Tokens}
		cutter.Add(turns.Turn{Text: text})
		first := cutter.End()[0]
		text, tokens = first.Text, first.Tokens
	}
	c := Chunk{UID: d.Chunk, Kind: Decision, Project: graph.Text(d.Decision, "project"),
		Agent: graph.Text(d.Decision, "agent"), At: graph.Time(d.Decision, "created_at").UTC(),
		Tokens: int64(tokens), Text: text, Hash: HashOf(text), Title: render.Title(graph.Text(d.Decision, "decision")),
		Visibility: graph.Text(d.Decision, "visibility")}
	c.UID, c.Visibility = cmp.Or(c.UID, uid.New()), cmp.Or(c.Visibility, Private)
	c.Session, _ = d.Session.(string)
	c.EndsAt = c.At
	if at := graph.Time(d.Decision, "reviewed_at").UTC(); at.After(c.EndsAt) {
		c.EndsAt = at
	}
	if c.At.IsZero() {
		c.At, c.EndsAt = time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()
	}
	return c
}

// text returns the text of a decision with its reasons and outcomes.
func (d storedDecision) text() string {
	p := d.Decision
	var out strings.Builder
	fmt.Fprintf(&out, "Decision %s: %s", graph.Text(p, "id"), strings.TrimSpace(graph.Text(p, "decision")))
	out.WriteString(join("\nContext: ", textOf(p, "context")))
	var facts []string
	for _, name := range []string{"category", "stakes", "pattern", "feature"} {
		facts = append(facts, join(name+" ", textOf(p, name)))
	}
	if confidence, ok := p["confidence"].(float64); ok {
		facts = append(facts, fmt.Sprintf("confidence %.2g", confidence))
	}
	facts = append(facts, join("tags ", strings.Join(graph.Texts(p["tags"]), ", ")))
	facts = slices.DeleteFunc(facts, func(f string) bool { return f == "" })
	out.WriteString(join("\n", strings.Join(facts, "; ")))
	for _, item := range d.Reasons {
		reason, _ := item.(map[string]any)
		out.WriteString(join("\nBecause ("+textOf(reason, "type")+"): ", textOf(reason, "text")))
	}
	for _, item := range d.Reviews {
		review, _ := item.(map[string]any)
		out.WriteString(join("\nOutcome: ", textOf(review, "outcome")) + join(". ",
			textOf(review, "actual_result")) + join("\nLessons: ", textOf(review, "lessons")) + join("\n",
			textOf(review, "notes")))
	}
	return out.String()
}
