package decisions_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies"
	"nomograph/search"
	"nomograph/trace"
)

// TestAGraphThatWasNeverMigrated is what somebody else's database is before Nomograph may change its schema.
func TestAGraphThatWasNeverMigrated(t *testing.T) {
	g := graphtest.Unmigrated(t)
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: nop})
	log, index := trace.NewLog(db, nop), search.Open(db, search.Builtin(), nop)
	t.Cleanup(func() {
		log.Close(context.Background())
		index.Close(context.Background())
		_ = db.Close(context.Background())
	})
	s := decisions.NewStore(db, policies.NewStore(db), log, index)
	_, list := s.List(t.Context(), decisions.ListQuery{})
	_, get := s.Get(t.Context(), decisions.GetQuery{ID: "abcd1234"})
	_, record := s.Record(t.Context(), decisions.Record{Decision: "x", Category: "process", Confidence: 0.5, By: "ann"})
	_, sessions := log.Sessions(t.Context(), trace.SessionFilter{})
	_, lineage := s.Lineage(t.Context(), decisions.LineageQuery{Failed: true})
	for name, err := range map[string]error{"list": list, "get": get, "record": record, "sessions": sessions, "lineage": lineage} {
		if fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, errors.Unwrap(fault.From(err)))
		}
		if fault.Is(err, fault.Unavailable) && !strings.Contains(fault.From(err).Hint, "nomograph serve") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
