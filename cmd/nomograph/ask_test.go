package main

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// TestDecisionLog_Terminal_AsksFieldByField checks that missing fields are asked until they are valid, and that the
// end of the input records nothing.
func TestDecisionLog_Terminal_AsksFieldByField(t *testing.T) {
	nowhere(t)
	log := func(typed string, args ...string) (string, error) {
		a, asked := &app{in: strings.NewReader(typed)}, &strings.Builder{}
		root := a.root([]string{"decision", "log"})
		root.SetArgs(append([]string{"decision", "log"}, args...))
		root.SetErr(asked)
		err := root.ExecuteContext(t.Context())
		a.close()
		return asked.String(), err
	}
	asked, err := log("Use a queue\ntaste\nprocess\n\nhigh\n0.8\nbecause\nanalysis: it decouples\n")
	if !apperr.Is(err, apperr.Unavailable) { // every field was answered, and the database is unavailable
		t.Errorf("%v after\n%s", err, asked)
	}
	for name, times := range map[string]int{"  decision (the choice": 1, "category (architecture, ": 2,
		"confidence (": 2, `reasons ("type: text"; may be empty)`: 2} {
		graphtest.Equal(t, strings.Count(asked, name), times, fmt.Sprint("questions for ", name, ": ", asked))
	}
	if asked, err := log("", "Use a queue", "--category", "process", "--confidence", "0.8"); !apperr.Is(err,
		apperr.Unavailable) || asked != "" {
		t.Errorf("with all required values: got %v after %q, want error %s, empty asked", err, asked,
			apperr.Unavailable)
	}
	if asked, err := log("0.8\n", "Use a queue", "--category", "process"); !apperr.Is(err, apperr.Validation) ||
		!strings.Contains(err.Error(), "nothing was recorded") || strings.Contains(asked, "category") {
		t.Errorf("the input ends: %v after\n%s", err, asked)
	}
}
