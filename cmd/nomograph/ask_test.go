package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/fault"
	"nomograph/tools"
)

func TestThePersonAtTheTerminalIsAskedFieldByField(t *testing.T) {
	question := tools.Question{Message: "How did it turn out?", Schema: &jsonschema.Schema{Type: "object", Required: []string{"outcome"},
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
		p := &person{in: strings.NewReader(typed), out: &out, before: func() {}}
		got, err := p.Ask(t.Context(), question)
		if want == nil {
			if !errors.Is(err, tools.ErrNoAnswer) {
				t.Errorf("%q gives %v and %v", typed, got, err)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q gives %v: %s", typed, err, diff)
		}
		if shown := out.String(); !strings.HasPrefix(shown, "How did it turn out?\n  outcome (success, failure): ") || !strings.Contains(shown, "  lessons (what to learn from it; may be empty): ") {
			t.Errorf("shown is %q", shown)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := &person{in: neverRead{t.Context()}, out: &strings.Builder{}, before: func() {}}
	if _, err := never.Ask(ctx, question); !errors.Is(err, tools.ErrNoAnswer) {
		t.Errorf("when it was interrupted, it gives %v", err)
	}
}

// neverRead is a terminal at which nobody types.
type neverRead struct{ until context.Context }

func (n neverRead) Read([]byte) (int, error) {
	<-n.until.Done()
	return 0, n.until.Err()
}

// TestADecisionIsAskedForFieldByField: what was not given, until it fits; the end of the input records nothing.
func TestADecisionIsAskedForFieldByField(t *testing.T) {
	nowhere(t)
	log := func(typed string, args ...string) (string, error) {
		a, asked := &app{in: strings.NewReader(typed)}, &strings.Builder{}
		root := a.root([]string{"decision"})
		root.SetArgs(append([]string{"decision", "log"}, args...))
		root.SetErr(asked)
		err := root.ExecuteContext(t.Context())
		a.close()
		return asked.String(), err
	}
	asked, err := log("Use a queue\ntaste\nprocess\n\nhigh\n0.8\nbecause\nanalysis: it decouples\n")
	if !fault.Is(err, fault.Unavailable) { // all was said, and the database is not there
		t.Errorf("%v after\n%s", err, asked)
	}
	for name, times := range map[string]int{"  decision (what": 1, "category (architecture, ": 2, "confidence (": 2, `reasons ("type: text"; may be empty)`: 2} {
		if strings.Count(asked, name) != times {
			t.Errorf("%q is not asked for %d times:\n%s", name, times, asked)
		}
	}
	if asked, err := log("", "Use a queue", "--category", "process", "--confidence", "0.8"); !fault.Is(err, fault.Unavailable) || asked != "" {
		t.Errorf("with all that is required: %v after %q", err, asked)
	}
	if asked, err := log("0.8\n", "Use a queue", "--category", "process"); !fault.Is(err, fault.Validation) || !strings.Contains(err.Error(), "nothing was recorded") || strings.Contains(asked, "category") {
		t.Errorf("the input ends: %v after\n%s", err, asked)
	}
}
