package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/sessions"
)

const (
	contextsSought = 10_000 // number of contexts that are searched
	// contexts of an atlas; the first has all records, because a context may include others of its atlas
	atlasOf          = 1200
	bringsWith       = `MATCH (c:Context {context_id: $id}) WHERE c.also_inject IS NOT NULL RETURN c.also_inject AS with`
	bringsNothing    = `MATCH (c:Context {context_id: $id}) REMOVE c.also_inject`
	bringsAgain      = `MATCH (c:Context {context_id: $id}) SET c.also_inject = $with`
	createActionRule = `MERGE (p:SYS_Policy {name: 'bench_known'}) SET p.active = true, p.severity = 'allow', p.requires = 'true', p.actions = ['bench.do']`
)

// governed measures governed sessions: how well the linked records of a record are found as contexts, reporting an
// action with 100 rules, and requesting contexts among 10,000.
func (b *bench) governed(ctx context.Context) ([]row, error) {
	records, err := readCorpus(*data)
	if err != nil {
		return nil, err
	}
	if err := b.asAtlases(ctx, records, len(records.sources)); err != nil {
		return nil, err
	}
	var rows []row
	if records.real {
		if rows, err = b.contextsFound(ctx); err != nil {
			return nil, err
		}
	}
	err = errors.Join(b.asAtlases(ctx, records, contextsSought),
		b.run(ctx, fillRules, map[string]any{"number": ruleCount}), b.run(ctx, createActionRule, nil))
	if err != nil {
		return nil, err
	}
	if _, err := b.server.call("cra_start_session",
		map[string]any{"goal": "measure", "session_id": "bench-governed"}); err != nil {
		return nil, err
	}
	needs := make([]string, len(records.sources))
	for i, s := range records.sources {
		needs[i] = s.Title
	}
	vectors, err := embedded(ctx, needs)
	reported := map[string]any{"action": "bench.do", "params": map[string]any{"path": "/srv/app/main.go", "lines": 12},
		"session_id": "bench-governed"}
	return append(rows,
		row{name: "cra_report_action", floor: b.rulesAndWrite(ctx), work: timed(func(int) error {
			answer, err := b.server.call("cra_report_action", reported)
			var out struct{ Decision string }
			if err == nil && (json.Unmarshal(answer, &out) != nil || out.Decision != sessions.Approved) {
				err = fmt.Errorf("cra_report_action gave %.600s", answer)
			}
			return err
		})},
		row{name: fmt.Sprintf("cra_request_context among %d", contextsSought),
			floor: b.hybrid(ctx, "context_embedding_text", "context_text", needs, vectors),
			work: b.tool("cra_request_context", func(i int) map[string]any {
				return map[string]any{"need": needs[i%len(needs)], "session_id": "bench-governed"}
			})}), err
}

// asAtlases creates contexts from records, one record per context, repeated until there are enough, and waits for their
// vectors.
func (b *bench) asAtlases(ctx context.Context, records corpus, number int) error {
	for first := 0; first < number; first += atlasOf {
		var blocks []any
		for i := first; i < min(first+atlasOf, number); i++ {
			s, generation := records.sources[i%len(records.sources)], i/len(records.sources)
			id := strings.ToLower(s.ID)
			content := s.Title + "\n" + s.Abstract
			if generation > 0 {
				id = fmt.Sprintf("%s-%d", id, generation)
				content = fmt.Sprintf("%s\n%s\nGeneration %d",
					records.sources[(i+generation)%len(records.sources)].Title, s.Abstract, generation)
			}
			block := map[string]any{"context_id": id, "name": s.Title, "content": content}
			if generation == 0 {
				with := []any{}
				for _, place := range s.requires {
					with = append(with, strings.ToLower(records.sources[place].ID))
				}
				block["also_inject"] = with
			}
			blocks = append(blocks, block)
		}
		manifest, err := json.Marshal(map[string]any{"atlas_version": "1.0",
			"atlas_id": fmt.Sprintf("bench-%d-%d", number, first/atlasOf), "version": "1.0.0",
			"name": "Made for measuring", "context_blocks": blocks})
		if err != nil {
			return err
		}
		if _, err := b.app.Sessions.LoadAtlases(ctx,
			sessions.LoadRequest{Atlases: []pack.Source{{Name: "bench.json", Text: string(manifest)}}, By: "bench",
				Reason:       "measuring",
				ApplyOptions: change.ApplyOptions{Adopt: true, Overwrite: true}}); err != nil {
			return err
		}
	}
	if err := b.app.Contexts.Drain(ctx); err != nil {
		return err
	}
	return b.run(ctx, upToDate, nil)
}

// contextsFound requests the contexts that a record links to, and searches the decisions made from the same records. A
// context brings those that its record requires, except for the context whose words ask.
func (b *bench) contextsFound(ctx context.Context) ([]row, error) {
	set := evaluationSet{filepath.Join(*data, "eips.jsonl"), func(link string) bool { return link == "requires" }}
	if err := errors.Join(b.command(ctx, "import", "jsonl", set.file), b.run(ctx, upToDate, nil)); err != nil {
		return nil, err
	}
	return b.evaluate(ctx, set, method{"cra_request_context", func(q evaluationQuestion) (found []string, err error) {
		id := map[string]any{"id": strings.ToLower(q.id)}
		own, err := b.query(ctx, neo4j.AccessModeRead, bringsWith, id)
		if err != nil {
			return nil, err
		}
		if err := b.run(ctx, bringsNothing, id); err != nil {
			return nil, err
		}
		values, err := b.app.Sessions.Request(ctx, sessions.Request{Need: q.text, Limit: evaluatedResults + 1,
			MaxTokens: 100_000, Caller: sessions.Caller{By: "bench"}})
		for _, c := range values.MatchedContexts {
			found = append(found, strings.ToUpper(c.ContextID))
		}
		for _, row := range own {
			id["with"] = row.Values[0]
			err = errors.Join(err, b.run(ctx, bringsAgain, id))
		}
		return found, err
	}})
}
