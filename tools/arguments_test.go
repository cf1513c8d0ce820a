package tools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestArguments_Invalid_NamesAllowedValues(t *testing.T) {
	long := []string{"get_policy", "name must have at most 200 characters, not 201", `{"name": "` +
		strings.Repeat("x", 201) + `"}`}
	for _, row := range append(golden.Columns(t, "testdata/refused.txt", 3), long) {
		operation, want, arguments := row[0], row[1], row[2]
		t.Run(operation+arguments[:min(len(arguments), 30)], func(t *testing.T) {
			o, ok := Find(Catalog, operation)
			if !ok {
				t.Fatal("the operation is unknown")
			}
			// The calls are refused before they need an App.
			_, err := o.Run(t.Context(), &App{}, json.RawMessage(arguments))
			f := apperr.From(err)
			if f == nil || f.Code != apperr.Validation || !strings.Contains(f.Message, want) {
				t.Errorf("got %v, want a validation_error with %q", err, want)
			}
			if f != nil && o.FailsClosed && (f.Allowed == nil || *f.Allowed) {
				t.Errorf("a failed check does not say allowed: false")
			}
			if f != nil && (strings.Contains(f.Message, "json:") || strings.Contains(f.Message, "strconv") ||
				strings.Contains(f.Message, "Go ")) {
				t.Errorf("the message is Go's: %s", f.Message)
			}
			if f != nil && f.Hint == "" {
				t.Errorf("the hint is missing")
			}
		})
	}
}

// TestArguments_SentByMistake_HaveOneReading: rows are what models and their clients send.
func TestArguments_SentByMistake_HaveOneReading(t *testing.T) {
	for _, row := range golden.Columns(t, "testdata/readings.txt", 2) {
		sent, read, _ := strings.Cut(row[1], " => ")
		o, _ := Find(Catalog, row[0])
		got, err := o.decode(t.Context(), json.RawMessage(sent))
		want, wrong := o.decode(t.Context(), json.RawMessage(read))
		if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); err != nil ||
			wrong != nil || diff != "" {
			t.Errorf("%s %s: %v, %v: %s", row[0], sent, err, wrong, diff)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"name": "x", "value": 1.0, "reason": "r"}`)
	f.Add(`{"name": "x", "value": {"a": [1]}, "reason": "r"}`)
	f.Add(`{"names": ["a"], "limit": 1e2}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		for _, o := range Catalog {
			in, err := o.decode(t.Context(), json.RawMessage(arguments))
			if err == nil && in == nil {
				t.Errorf("%s: %q returns neither a value nor an error", o.Name, arguments)
			}
			if err != nil && !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s: %q: got %v", o.Name, arguments, err)
			}
		}
	})
}
