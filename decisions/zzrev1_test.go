package decisions_test

import (
	"context"
	"fmt"
	"github.com/rs/zerolog"
	"nomograph/graph/graphtest"
	"nomograph/search"
	"nomograph/trace"
	"strings"
	"sync"
	"testing"

	"nomograph/decisions"
	"nomograph/policies"
)

func TestZZRace(t *testing.T) {
	g, s := open(t)
	for round := range 4 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var outs []decisions.Prepared
		for range 6 {
			wg.Go(func() {
				p := intended("Race for it")
				p.RequestKey = fmt.Sprint("race", round)
				out, err := s.PreAction(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				outs = append(outs, out)
				mu.Unlock()
			})
		}
		wg.Wait()
		for _, o := range outs {
			rows := g.Rows(t, "MATCH (v:Verdict {uid: $u}) RETURN v", map[string]any{"u": o.VerdictID})
			t.Log(o.Repeated, o.Recorded, *o.DecisionID, o.VerdictID, len(rows))
			if len(rows) != 1 {
				t.Error("no verdict", o.VerdictID)
			}
		}
	}
}

func TestZZKeep(t *testing.T) {
	g := graphtest.New(t)
	log := trace.NewLog(g.DB, zerolog.Nop())
	index := search.Open(g.DB, search.Builtin(), zerolog.Nop())
	t.Cleanup(func() { log.Close(context.Background()); index.Close(context.Background()) })
	rules := policies.NewStore(g.DB)
	rules.Settings.Keep = policies.KeepRedacted
	s := decisions.NewStore(g.DB, rules, log, index)
	t.Cleanup(func() { s.Close(context.Background()) })
	no := false
	p := intended("Sell the quixotic widget division")
	p.Options = &decisions.PreActionOptions{AutoRecord: &no}
	if _, err := s.PreAction(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	record(t, s, decisions.Record{Decision: "x", Confidence: 0.5, By: "preparer"})
	for _, r := range g.Rows(t, "MATCH (e:TraceEvent) RETURN e.type AS t, e.payload AS p", nil) {
		if strings.Contains(fmt.Sprint(r["p"]), "quixotic") {
			t.Error(r)
		}
	}
}

func TestZZBlank(t *testing.T) {
	_, s := open(t)
	reviewed(t, s, decisions.Record{Decision: "a", Confidence: 0.5, Project: "p", By: "ada"}, "success")
	out, err := s.Stats(t.Context(), decisions.StatsQuery{Project: "p", AgentID: "ada", Category: " "})
	t.Log(out.TotalDecisions, out.Note, err)
	if out.TotalDecisions != 1 {
		t.Error("blank")
	}
}
