package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/uid"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/search"
	"nomograph/sessions"
	"nomograph/tools"
)

const (
	contextsSought   = 10_000 // number of contexts that are searched
	atlasOf          = 1200   // contexts per atlas; all records are in the first atlas, because a context may include others of its atlas
	bareContextText  = `CALL db.index.fulltext.queryNodes('context_text', $text, {limit: $k}) YIELD node, score RETURN node, score`
	bareContextNear  = `CALL db.index.vector.queryNodes('context_embedding_text', $k, $vector) YIELD node, score MATCH (node)-[:OF]->(c:Context) RETURN c, score`
	bringsWith       = `MATCH (c:Context {context_id: $id}) WHERE c.also_inject IS NOT NULL RETURN c.also_inject AS with`
	bringsNothing    = `MATCH (c:Context {context_id: $id}) REMOVE c.also_inject`
	bringsAgain      = `MATCH (c:Context {context_id: $id}) SET c.also_inject = $with`
	createActionRule = `MERGE (p:SYS_Policy {name: 'bench_known'}) SET p.active = true, p.severity = 'allow', p.requires = 'true', p.actions = ['bench.do']`
	bareRecord       = `CREATE (e:TraceEvent) SET e = $event CREATE (v:Verdict) SET v = $verdict`
	recordedLast     = `MATCH (:Session {id: 'bench-in-process'})-[:RECORDED]->(e:TraceEvent {type: 'action.reported'}) MATCH (v:Verdict {session: 'bench-in-process'}) RETURN properties(e) AS event, properties(v) AS verdict LIMIT 1`
	bareContexts     = `MATCH (c:Context) WHERE c.uid IN $uids RETURN c`
	someContexts     = `MATCH (c:Context) RETURN c.uid AS uid LIMIT 30`
	reported         = `{"action":"bench.do","params":{"path":"/srv/app/main.go","lines":12},"session_id":"bench-governed"}`
)

// cra measures governed sessions on their own engine: reporting an action with 100 rules, requesting contexts among
// 10,000, and how well the linked records of a record are found as contexts, compared with decisions made from the same
// records.
func (b *bench) cra(ctx context.Context) error {
	return b.onOwnEngine(ctx, "cra", func(own *bench, driver neo4j.DriverWithContext, app *tools.App) error {
		records, err := readCorpus(*data)
		if err != nil {
			return err
		}
		if err := asAtlases(ctx, app, driver, records, len(records.sources)); err != nil {
			return err
		}
		fmt.Fprint(&own.report, "\n## Governed sessions\n")
		if records.real {
			if err := own.contextsFound(ctx, driver, app); err != nil {
				return err
			}
		}
		if err := asAtlases(ctx, app, driver, records, contextsSought); err != nil {
			return err
		}
		return own.governed(ctx, driver, app, records)
	})
}

// asAtlases creates contexts from records, one record per context, repeated until there are enough, and waits for their
// vectors.
func asAtlases(ctx context.Context, app *tools.App, driver neo4j.DriverWithContext, records corpus, number int) error {
	for first := 0; first < number; first += atlasOf {
		var blocks []any
		for i := first; i < min(first+atlasOf, number); i++ {
			s, generation := records.sources[i%len(records.sources)], i/len(records.sources)
			id := strings.ToLower(s.ID)
			content := s.Title + "\n" + s.Abstract
			if generation > 0 {
				id = fmt.Sprintf("%s-%d", id, generation)
				content = fmt.Sprintf("%s\n%s\nGeneration %d", records.sources[(i+generation)%len(records.sources)].Title, s.Abstract, generation)
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
		manifest, err := json.Marshal(map[string]any{"atlas_version": "1.0", "atlas_id": fmt.Sprintf("bench-%d-%d", number, first/atlasOf), "version": "1.0.0", "name": "Made for measuring", "context_blocks": blocks})
		if err != nil {
			return err
		}
		if _, err := app.Sessions.LoadAtlases(ctx, sessions.LoadRequest{Atlases: []pack.Source{{Name: "bench.json", Text: string(manifest)}}, By: "bench", Reason: "measuring",
			ApplyOptions: change.ApplyOptions{Adopt: true, Overwrite: true}}); err != nil {
			return err
		}
	}
	if err := app.Contexts.Drain(ctx); err != nil {
		return err
	}
	return runOnDriver(ctx, driver, caughtUp, nil)
}

// contextsFound requests the contexts that a record links to, and searches the decisions made from the same records.
func (b *bench) contextsFound(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App) error {
	set := evaluationSet{filepath.Join(*data, "eips.jsonl"), func(link string) bool { return link == "requires" }}
	if err := b.command(ctx, "import", "jsonl", set.file); err != nil {
		return err
	}
	if err := runOnDriver(ctx, driver, caughtUp, nil); err != nil {
		return err
	}
	fmt.Fprint(&b.report, "\nEach proposal is a context and a decision; both are asked with the beginning of one for those that it requires. A context brings those that its proposal requires, but the one whose words ask.\n\n"+
		"| records | half | questions | | recall@10 | of BM25 | MRR | nDCG@10 |\n|---|---|---|---|---|---|---|---|\n")
	return b.evaluateSet(ctx, driver, app, set, &b.report, method{"cra_request_context", func(q evaluationQuestion) (found []string, err error) {
		id := map[string]any{"id": strings.ToLower(q.id)}
		own, err := rowsOnDriver(ctx, driver, bringsWith, id)
		if err != nil {
			return nil, err
		}
		if err := runOnDriver(ctx, driver, bringsNothing, id); err != nil {
			return nil, err
		}
		values, err := app.Sessions.Request(ctx, sessions.Request{Need: q.text, Limit: evaluatedResults + 1, MaxTokens: 100_000, Caller: sessions.Caller{By: "bench"}})
		for _, c := range values.MatchedContexts {
			found = append(found, strings.ToUpper(c.ContextID))
		}
		for _, row := range own {
			id["with"] = row.Values[0]
			err = errors.Join(err, runOnDriver(ctx, driver, bringsAgain, id))
		}
		return found, err
	}})
}

// governed measures reports and requests against R100, a bare read of 100 rules and their thresholds, H, a bare vector
// query and a bare full-text query, and W, a bare small write.
func (b *bench) governed(ctx context.Context, driver neo4j.DriverWithContext, app *tools.App, records corpus) error {
	for _, query := range []string{fillRules, createActionRule} {
		if err := runOnDriver(ctx, driver, query, nil); err != nil {
			return err
		}
	}
	server, err := start(b.program, b.environ(), "--toolsets", "cra")
	if err != nil {
		return err
	}
	if err := server.initialize(); err != nil {
		return err
	}
	if err := server.call("cra_start_session", `{"goal":"measure","session_id":"bench-governed"}`); err != nil {
		return err
	}
	if _, err := app.Sessions.Start(ctx, sessions.Start{Goal: "measure", Caller: sessions.Caller{By: "bench", SessionID: "bench-in-process"}}); err != nil {
		return err
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("bench_bar_%d", i)
	}
	need := func(i int) string { return records.sources[i%len(records.sources)].Title }
	vectors, err := search.Builtin().Embed(ctx, titles(records))
	if err != nil {
		return err
	}
	approved := func(decision string, err error) error {
		if err == nil && decision != sessions.Approved {
			err = fmt.Errorf("the report was answered with %s", decision)
		}
		return err
	}
	rules := &turn{name: "R100, a bare read of 100 rules and their thresholds", work: func(int) error {
		return runOnDriver(ctx, driver, bareRules, map[string]any{"names": names})
	}}
	write := &turn{name: "W, a bare small write", work: func(int) error {
		return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": uid.Random(), "text": actionCheck})
	}}
	hybrid := &turn{name: "H, a bare vector query and a bare full text query", work: func(i int) error {
		if err := runBare(ctx, driver, bareContextNear, map[string]any{"k": asked, "vector": vectors[i%len(vectors)]}); err != nil {
			return err
		}
		return runBare(ctx, driver, bareContextText, map[string]any{"k": asked, "text": words(need(i))})
	}}
	reports := &turn{name: "cra_report_action, in process", work: func(int) error {
		out, err := app.Sessions.Report(ctx, sessions.Report{Action: "bench.do", Params: map[string]any{"path": "/srv/app/main.go", "lines": int64(12)},
			Caller: sessions.Caller{By: "bench", SessionID: "bench-in-process"}})
		return approved(out.Decision, err)
	}}
	reportsStdio := &turn{name: "cra_report_action, over stdio", work: func(int) error {
		answer, err := server.callForResult("cra_report_action", json.RawMessage(reported))
		var out struct{ Decision string }
		if err == nil {
			err = json.Unmarshal(answer, &out)
		}
		return approved(out.Decision, err)
	}}
	requests := &turn{name: "cra_request_context, in process", work: func(i int) error {
		_, err := app.Sessions.Request(ctx, sessions.Request{Need: need(i), Caller: sessions.Caller{By: "bench", SessionID: "bench-in-process"}})
		return err
	}}
	requestsStdio := &turn{name: "cra_request_context, over stdio", work: func(i int) error {
		return server.call("cra_request_context", string(asJSON(map[string]any{"need": need(i), "session_id": "bench-governed"})))
	}}
	ruled := &turn{name: "the statement that reads the rules, alone", work: func(int) error {
		return runBare(ctx, driver, cypher.RulesInForce.Text(), map[string]any{"names": names, "scoped": []string{}, "most": 0})
	}}
	kept, read, err := floors(ctx, driver, reports)
	if err != nil {
		return err
	}
	number := max(*calls/4, 50)
	turns := []*turn{rules, write, hybrid, ruled, kept, read, reports, reportsStdio, requests, requestsStdio}
	if err := inTurn(number, 50, turns); err != nil {
		return err
	}
	r, w, h := rules.taken.p50(), write.taken.p50(), hybrid.taken.p50()
	b.table(fmt.Sprintf("Reports among 100 rules, requests among %d contexts", contextsSought), number, w, "W", turns)
	fmt.Fprintf(&b.report, "\nA report may take R100 + 2 W = %.2f ms, and takes %.2f in process and %.2f over stdio. A request may take 1.5 H + 2 W = %.2f ms, and takes %.2f and %.2f.\n",
		r+2*w, reports.taken.p50(), reportsStdio.taken.p50(), 1.5*h+2*w, requests.taken.p50(), requestsStdio.taken.p50())
	fmt.Fprintf(&b.report, "\nThe database alone takes %.2f ms for a report, where a bare driver reads the rules and then writes the same event and verdict, and %.2f ms for a request, where it does H, reads 30 contexts, and writes an event.\n",
		ruled.taken.p50()+kept.taken.p50(), h+read.taken.p50()+kept.taken.p50())
	return b.reportsAtOnce(ctx, app)
}

// floors returns the times of a bare driver for what a report writes and for the contexts from which a request chooses.
func floors(ctx context.Context, driver neo4j.DriverWithContext, reports *turn) (kept, read *turn, err error) {
	if err := reports.work(0); err != nil {
		return nil, nil, err
	}
	last, err := rowsOnDriver(ctx, driver, recordedLast, nil)
	if err != nil || len(last) == 0 {
		return nil, nil, fmt.Errorf("no report was stored: %w", err)
	}
	contexts, err := rowsOnDriver(ctx, driver, someContexts, nil)
	if err != nil {
		return nil, nil, err
	}
	uids := make([]any, len(contexts))
	for i, row := range contexts {
		uids[i] = row.Values[0]
	}
	seq := 0
	kept = &turn{name: "the same event and verdict, alone", work: func(int) error {
		event, verdict := maps.Clone(last[0].Values[0].(map[string]any)), maps.Clone(last[0].Values[1].(map[string]any))
		event["uid"], event["session"], event["seq"], verdict["uid"] = uid.Random(), "bench-bare", seq, uid.Random()
		seq++
		return runOnDriver(ctx, driver, bareRecord, map[string]any{"event": event, "verdict": verdict})
	}}
	read = &turn{name: "30 contexts, alone", work: func(int) error {
		return runBare(ctx, driver, bareContexts, map[string]any{"uids": uids})
	}}
	return kept, read, nil
}

// reportsAtOnce lets 64 writers report to one session and then verifies its chain.
func (b *bench) reportsAtOnce(ctx context.Context, app *tools.App) error {
	who := sessions.Caller{By: "bench", SessionID: "bench-many"}
	if _, err := app.Sessions.Start(ctx, sessions.Start{Goal: "measure", Caller: who}); err != nil {
		return err
	}
	done, took, err := runParallel(writers, tracing, func() error {
		_, err := app.Sessions.Report(ctx, sessions.Report{Action: "bench.do", Caller: who})
		return err
	})
	if err != nil {
		return err
	}
	chain, err := app.Sessions.Chain(ctx, who)
	if err != nil {
		return err
	}
	held := "whole"
	if !chain.IsValid || chain.EventCount != int64(done)+2 { // plus two events of the start
		held = fmt.Sprintf("**broken**: %d events of %d, %v", chain.EventCount, done+2, chain.Problems)
	}
	fmt.Fprintf(&b.report, "\n%d writers reported %d actions to one session in %s: %.0f a second; its chain is %s.\n", writers, done, took.Round(10*time.Millisecond), float64(done)/took.Seconds(), held)
	return nil
}

func titles(records corpus) []string {
	texts := make([]string, len(records.sources))
	for i, s := range records.sources {
		texts[i] = s.Title
	}
	return texts
}
