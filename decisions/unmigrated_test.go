package decisions_test

import (
	"errors"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestDecisions_UnmigratedGraph_Work uses a third-party database whose schema Nomograph may not change yet.
func TestDecisions_UnmigratedGraph_Work(t *testing.T) {
	g := graphtest.Unmigrated(t)
	env := toolstest.App(t, toolstest.Reopen(t, g))
	_, list := env.Precedents.List(t.Context(), precedents.ListQuery{})
	_, get := env.Decisions.Get(t.Context(), decisions.GetQuery{ID: "abcd1234"})
	_, record := env.Decisions.Record(t.Context(),
		decisions.Record{Decision: "x", Category: "process", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{By: "ann"}})
	_, sessions := env.Trace.Sessions(t.Context(), trace.SessionFilter{})
	_, lineage := env.Links.Lineage(t.Context(), links.LineageQuery{Failed: true})
	for name, err := range map[string]error{"list": list, "get": get, "record": record, "sessions": sessions,
		"lineage": lineage} {
		if apperr.Is(err, apperr.Internal) {
			t.Errorf("%s: got %v, want apperr.Is(err, apperr.Internal)=false", name, errors.Unwrap(apperr.From(err)))
		}
		if apperr.Is(err, apperr.Unavailable) && !strings.Contains(apperr.From(err).Hint, "when it starts") {
			t.Errorf(`%s: got %v, want not apperr.Is(err, apperr.Unavailable) && !strings.Contains(apperr.From(err).Hint, "when it starts")`, name, err)
		}
	}
}
