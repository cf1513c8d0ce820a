package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
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

func TestFromText_ShortObjects_AreRead(t *testing.T) {
	for _, c := range []struct {
		object *jsonschema.Schema
		text   string
		want   string
	}{
		{reason, "analysis: it scales: to 10,000", `{"text":"it scales: to 10,000","type":"analysis"}`},
		{reason, "type=analysis,text=a, b and x=1,strength=0.9",
			`{"strength":0.9,"text":"a, b and x=1","type":"analysis"}`},
		{reason, `{"type": "analysis", "text": "a", "strength": 1.0}`, `{"type":"analysis","text":"a","strength":1.0}`},
		{reason, "no colon", `"no colon"`},
		{reason, "type=", `{"type":""}`},
		{bridge, "structure=a table, wide,function=keeps rules,tolerance=color|size",
			`{"function":"keeps rules","structure":"a table, wide","tolerance":["color","size"]}`},
		{bridge, "a queue: to decouple", `{"function":"to decouple","structure":"a queue"}`},
		{anything, "latency_ms=12.5,churn=down,retries=3", `{"churn":"down","latency_ms":12.5,"retries":3}`},
		{anything, "sha=0123456,old=61e9540,plan=9509425349e4,port=010",
			`{"old":"61e9540","plan":"9509425349e4","port":"010","sha":"0123456"}`},
		{anything, "{sha: 0123456, old: 61e9540, share: 0.5}", `{"old":"61e9540","sha":"0123456","share":0.5}`},
		{filter, "project=acme/shop", `{"project":"acme/shop"}`},
		{filter, "projekt=acme/shop", `{"projekt":"acme/shop"}`}, // the operation refuses the unknown name
		{reason, "x=1: so it is", `{"text":"so it is","type":"x=1"}`},
		{anything, "a: b", `"a: b"`},
		{anything, "", `""`},
	} {
		got, err := json.Marshal(FromText(c.object, c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n is %s (%v)\nnot %s", c.text, got, err, c.want)
		}
	}
}

func TestFromText_EachType_ReadsValidTexts(t *testing.T) {
	whole, truth := &jsonschema.Schema{Type: "integer"}, &jsonschema.Schema{Type: "boolean"}
	scalar := &jsonschema.Schema{Types: []string{"number", "string", "boolean"}}
	word := &jsonschema.Schema{Type: "string", Enum: []any{"in_review", "done"}}
	for _, c := range []struct {
		property *jsonschema.Schema
		text     string
		want     string
	}{
		{text, "5", `"5"`},
		{text, `"5"`, `"\"5\""`},
		{whole, "5", "5"},
		{whole, " 5 ", "5"},
		{whole, "5.0", "5.0"},
		{whole, "five", `"five"`},
		{whole, "", `""`},
		{whole, "5 # five", `"5 # five"`},
		{number, "1e3", "1e3"},
		{number, ".5", "0.5"},
		{number, "-.5", "-0.5"},
		{number, "0x10", `"0x10"`},
		{number, "010", `"010"`},
		{whole, "010", `"010"`},
		{whole, "09", `"09"`},
		{whole, "1_000", `"1_000"`},
		{whole, "+5", `"+5"`},
		{number, "1e999", "1e999"},
		{number, ".inf", `".inf"`},
		{number, "-.inf", `"-.inf"`},
		{number, ".nan", `".nan"`},
		{number, "NaN", `"NaN"`},
		{number, "2026-01-01", `"2026-01-01"`},
		{truth, "true", "true"},
		{truth, "False", "false"},
		{truth, "TRUE", "true"},
		{truth, "1", `"1"`},
		{truth, "yes", `"yes"`},
		{scalar, "0.70", "0.70"},
		{scalar, `"0.70"`, `"0.70"`},
		{scalar, "true", "true"},
		{scalar, "-7", "-7"},
		{scalar, "010", `"010"`},
		{scalar, "0123456", `"0123456"`}, // https://github.com/jupyterhub/chartpress/issues/15
		{scalar, "123456789012345678901234567890", `"123456789012345678901234567890"`},
		{scalar, "9223372036854775808", `"9223372036854775808"`},
		{scalar, "1.0e999", `"1.0e999"`},
		{scalar, "61e9540", `"61e9540"`},           // https://github.com/harness/harness/issues/2498
		{scalar, "9509425349e4", `"9509425349e4"`}, // https://github.com/elastic/kibana/pull/161934
		{scalar, "12E3", `"12E3"`},
		{scalar, "0x1F", `"0x1F"`},
		{scalar, "0o17", `"0o17"`},
		{scalar, "0b11", `"0b11"`},
		{scalar, "1_000", `"1_000"`},
		{scalar, "+491234", `"+491234"`},
		{scalar, "1.2.3", `"1.2.3"`},
		{scalar, "12:30", `"12:30"`},
		{scalar, ".inf", `".inf"`},
		{scalar, "NaN", `"NaN"`},
		{scalar, "1e-07", "1e-07"}, // as programs write small numbers
		{scalar, "null", `"null"`},
		{scalar, "note: x", `"note: x"`},
		{scalar, "{a: 1}", `"{a: 1}"`},
		{scalar, "v1.2.3", `"v1.2.3"`},
		{word, "in-review", `"in_review"`},
		{word, "in review", `"in review"`},
		{list, "a,b", `["a","b"]`},
		{list, `"a,b",c`, `["a,b","c"]`},
		{list, `a"b,c`, `["a\"b","c"]`},
		{list, "", "[]"},
		{&jsonschema.Schema{Type: "array", Items: whole}, "1,x", `[1,"x"]`},
		{&jsonschema.Schema{Type: "array", Items: reason}, "analysis: a, b", `[{"text":"a, b","type":"analysis"}]`},
		{anything, "{a: .inf}", `"{a: .inf}"`},
		{anything, `{"a": 1, "a": 2}`, `{"a":1,"a":2}`}, // unchanged: the operation refuses the repeated key
		{anything, "{a: 1, a: 2}", `{"a":null,"a":null}`},
		{nil, "5", "5"},
		{nil, "x", `"x"`},
	} {
		got, err := json.Marshal(FromText(c.property, c.text))
		if err != nil || string(got) != c.want {
			t.Errorf("%q as %v: got %s (%v), want %s", c.text, c.property, got, err, c.want)
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
		arguments, err := json.Marshal(map[string]any{"min_confidence": FromText(o.Input().Properties["min_confidence"],
			text)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Run(t.Context(), &App{}, arguments) // refused before anything is touched
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
