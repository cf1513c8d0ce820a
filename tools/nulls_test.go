package tools

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/memory/recall"
)

func TestDecode_NullForOptional_IsLeftOut(t *testing.T) {
	o, _ := Find(Catalog, "recall")
	in := graphtest.Must(o.decode(t.Context(), []byte(`{"query": "the queue", "project": null, "agent": null, "max_tokens": null, "range": null}`)))(t)
	if got := in.(*recall.RecallQuery); got.Query != "the queue" || got.Project != "" || got.MaxTokens != 0 {
		t.Errorf(`got %+v, want Query="the queue", empty Project, MaxTokens=0`, got)
	}
	o, _ = Find(Catalog, "log_decision")
	if _, err := o.decode(t.Context(), []byte(`{"decision": "x", "category": "process", "stakes": "low", "confidence": 0.5, "reasons": [{"type": "analysis", "text": "y", "strength": null}]}`)); err != nil {
		t.Errorf("nested: got %v, want no error", err)
	}
}

func TestDecode_NullForRequired_IsRefused(t *testing.T) {
	o, _ := Find(Catalog, "recall")
	if _, err := o.decode(t.Context(), []byte(`{"query": null}`)); !apperr.Is(err, apperr.Validation) {
		t.Errorf("got %v, want a validation_error", err)
	}
}
