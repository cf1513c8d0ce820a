package arguments

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/graph/graphtest"
	"nomograph/tools"
)

func TestAsk_Terminal_AsksFieldByField(t *testing.T) {
	question := tools.Question{Message: "How did it turn out?",
		Schema: &jsonschema.Schema{Type: "object", Required: []string{"outcome"},
			PropertyOrder: []string{"outcome", "lessons"},
			Properties: map[string]*jsonschema.Schema{
				"outcome": {Type: "string", Enum: []any{"success", "failure"}},
				"lessons": {Type: "string", Description: "what to learn from it"},
			}}}
	for typed, want := range map[string]map[string]any{
		"success\nMeasure first\n": {"outcome": "success", "lessons": "Measure first"},
		"\ngreat\n failure \n\n":   {"outcome": "failure"},
		"success\n007\n":           {"outcome": "success", "lessons": "007"},
		"great\n":                  nil,
		"success\n":                nil, // the input ended before everything was asked
	} {
		var out strings.Builder
		p := &Prompter{In: strings.NewReader(typed), Out: &out, Before: func() {}}
		got, err := p.Ask(t.Context(), question)
		if want == nil {
			if !errors.Is(err, tools.ErrNoAnswer) {
				t.Errorf("%q: got %v and %v, want no answer", typed, got, err)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: got %v: %s", typed, err, diff)
		}
		if shown := out.String(); !strings.HasPrefix(shown, "How did it turn out?\n  outcome (success, failure): ") ||
			!strings.Contains(shown, "  lessons (what to learn from it; may be empty): ") {
			t.Errorf("got the output %q", shown)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := &Prompter{In: neverRead{t.Context()}, Out: &strings.Builder{}, Before: func() {}}
	if _, err := never.Ask(ctx, question); !errors.Is(err, tools.ErrNoAnswer) {
		t.Errorf("after an interrupt: got %v, want no answer", err)
	}
}

// neverRead is a terminal without input.
type neverRead struct{ until context.Context }

func (n neverRead) Read([]byte) (int, error) {
	<-n.until.Done()
	return 0, n.until.Err()
}

func TestPersonAsk_AnswerThatDoesNotFit_SaysWhy(t *testing.T) {
	zero, one := 0.0, 1.0
	question := tools.Question{Message: "Record a decision",
		Schema: &jsonschema.Schema{Type: "object", Required: []string{"category", "confidence", "reasons"},
			PropertyOrder: []string{"category", "confidence", "reasons"},
			Properties: map[string]*jsonschema.Schema{
				"category":   {Type: "string", Enum: []any{"process", "tooling"}},
				"confidence": {Type: "number", Minimum: &zero, Maximum: &one},
				"reasons": {Type: "array", Items: &jsonschema.Schema{Type: "object", Required: []string{"type", "text"},
					PropertyOrder: []string{"type", "text"},
					Properties: map[string]*jsonschema.Schema{"type": {Type: "string", Enum: []any{"analysis"}},
						"text": {Type: "string"}}}},
			}}}
	var out strings.Builder
	p := &Prompter{In: strings.NewReader("\ntaste\nprocess\n80\nhigh\n0.8\nbecause\nhunch: it is so\nanalysis: it decouples\n"), Out: &out, Before: func() {}}
	graphtest.Must(p.Ask(t.Context(), question))(t)
	for _, why := range []string{"    category is required", "    category must be one of process, tooling",
		"    confidence must be at most 1, not 80", "    confidence must be a number, not text",
		"    reasons is written \"type: text\"", "    reasons: type must be one of analysis"} {
		if !strings.Contains(out.String(), why+"\n") && !strings.Contains(out.String(), why+";") {
			t.Errorf("%q is missing in\n%s", why, out.String())
		}
	}
}
