package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

var (
	text   = &jsonschema.Schema{Type: "string"}
	number = &jsonschema.Schema{Type: "number"}
	list   = &jsonschema.Schema{Type: "array", Items: text}
	reason = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"type", "text", "strength"},
		Required:   []string{"type", "text"},
		Properties: map[string]*jsonschema.Schema{"type": text, "text": text, "strength": number}}
	bridge = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"structure", "function", "tolerance"},
		Required:   []string{"structure", "function"},
		Properties: map[string]*jsonschema.Schema{"structure": text, "function": text, "tolerance": list}}
	filter = &jsonschema.Schema{Type: "object", PropertyOrder: []string{"project"},
		Properties: map[string]*jsonschema.Schema{"project": text}}
	anything = &jsonschema.Schema{Type: "object"}
)

func TestFromText_Texts_BecomeJSON(t *testing.T) {
	whole := &jsonschema.Schema{Type: "integer"}
	types := map[string]*jsonschema.Schema{"nil": nil, "text": text, "number": number, "list": list, "reason": reason,
		"bridge": bridge, "filter": filter, "anything": anything, "whole": whole,
		"truth":  {Type: "boolean"},
		"scalar": {Types: []string{"number", "string", "boolean"}},
		"word":   {Type: "string", Enum: []any{"in_review", "done"}}}
	for _, items := range []string{"whole", "reason"} {
		types["list of "+items] = &jsonschema.Schema{Type: "array", Items: types[items]}
	}
	for _, row := range append(golden.Rows(t, "testdata/fromtext.txt"), []string{"whole", " 5 ", "5"}) {
		property, known := types[row[0]]
		if got, err := json.Marshal(FromText(property, row[1])); !known || err != nil || string(got) != row[2] {
			t.Errorf("%q as %s: got %s (%v), want %s", row[1], row[0], got, err, row[2])
		}
	}
}

// TestArgument_InvalidText_ReturnsTheErrorOfRun: a page that reads one form field gives the error of every other
// transport.
func TestArgument_InvalidText_ReturnsTheErrorOfRun(t *testing.T) {
	o, _ := Find(Catalog, "list_decisions")
	for _, text := range []string{"high", "1.5", "-1", ".inf"} {
		var read *float64
		got := apperr.From(o.Argument("min_confidence", text, &read))
		arguments := graphtest.Must(json.Marshal(map[string]any{"min_confidence": FromText(o.Input().Properties["min_confidence"],
			text)}))(t)
		_, err := o.Run(t.Context(), &App{}, arguments) // refused before anything is touched
		if want := apperr.From(err); got == nil || want == nil || got.Code != apperr.Validation ||
			got.Message != want.Message || got.Hint != want.Hint {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	var read *float64
	if err := o.Argument("min_confidence", "0.5", &read); err != nil || read == nil || *read != 0.5 {
		t.Errorf("got %v (%v), want 0.5", read, err)
	}
}

// FuzzFromText checks that a text becomes valid JSON for every argument's schema, that arguments of type string keep it
// unchanged, and that any other input is a validation_error.
func FuzzFromText(f *testing.F) {
	for _, seed := range []string{"5", ".5", "0x1F", "1_0", "1e999", ".inf", "true", `"a`, `"a"`, "a,b", "{",
		"{a: [1]}", "type=a,text=b", "a: b", "\x00", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		for _, o := range Catalog {
			for name, property := range o.Input().Properties {
				value := FromText(property, written)
				if _, err := json.Marshal(value); err != nil {
					t.Errorf("%s of %s: %q: %v", name, o.Name, written, err)
				}
				if property.Type == "string" && len(property.Enum) == 0 && value != written {
					t.Errorf("%s of %s: got %v, want %q", name, o.Name, value, written)
				}
				var into json.RawMessage
				if err := o.Argument(name, written, &into); err != nil && !apperr.Is(err, apperr.Validation) {
					t.Errorf("%s of %s: %q: got %v", name, o.Name, written, err)
				}
			}
		}
	})
}

func FuzzObjectsAreReadOrLeftAlone(f *testing.F) {
	for _, seed := range []string{"analysis: a", "type=a,text=b", `{"type": 1`, "text=,,=", "strength=1e999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		for _, object := range []*jsonschema.Schema{reason, bridge, anything} {
			if _, err := json.Marshal(FromText(object, written)); err != nil {
				t.Errorf("%q: got %v, want no error", written, err)
			}
		}
	})
}
