package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/golden"
	"nomograph/internal/schema"
)

// TestCheck_ManyValues_MatchAFullValidator compares our checks with a complete implementation, which reports
// one problem only.
func TestCheck_ManyValues_MatchAFullValidator(t *testing.T) {
	texts := map[string][]byte{"small": []byte(`{"type":"object","required":["a","b"],"additionalProperties":false,"properties":{
		"a":{"type":["string","integer"],"minLength":1,"maxLength":3,"minimum":-1.5,"maximum":12},
		"b":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"enum":["x",1,null,true]}},
		"c":{"not":{"type":"string"}},
		"d":{"oneOf":[{"required":["x"]},{"required":["y"]}],"minProperties":1},
		"e":{"$ref":"#/$defs/self","maxLength":2},
		"f":{"additionalProperties":{"type":"number"}}},
		"$defs":{"self":{"type":["string","object"],"pattern":"^[a-z]*$","properties":{"in":{"$ref":"#/$defs/self"}}}}}`)}
	for _, file := range []string{"../../policies/pack/pack.schema.json", "../../sessions/manifest/atlas.schema.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = text
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			ours, theirs := schema.MustCompile(text), compiled(t, text)
			g := generator{draw: rand.New(rand.NewPCG(3, 4)), words: append(words(t, text), "x", "abcd", "1h", "")}
			fits := 0
			for range 20000 {
				value := g.value(4)
				if name == "small" && g.draw.IntN(4) > 0 {
					value = map[string]any{"a": []any{"x", "abc", json.Number("12"),
						json.Number("3.5")}[g.draw.IntN(4)], "b": []any{"x", g.value(0)},
						"cdef"[g.draw.IntN(4):][:1]: g.value(2)}
				}
				problems, err := ours.Check(value), theirs.Validate(withFloats(t, value))
				if (len(problems) > 0) != (err != nil) {
					shown, _ := json.Marshal(value)
					t.Fatalf("%s: we say %v, the specification %v", shown, problems, err)
				}
				if err == nil {
					fits++
				}
			}
			if name == "small" && fits < 10 {
				t.Errorf("only %d values fit: the test compares too little", fits)
			}
		})
	}
}

func TestCheck_NumbersBeyondFloat64_CompareWithEveryLimit(t *testing.T) {
	s := schema.MustCompile([]byte(`{"type":"integer","minimum":-10,"maximum":10}`))
	for text, want := range map[string]int{"1e1000000000": 1, "-1e1000000000": 1, "1e-1000000000": 0,
		"0e99999999999999999999": 0, "10": 0, "1e1": 0, "10.5": 1} {
		value, err := schema.UnmarshalJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "problems of "+text, len(s.Check(value)), want)
	}
}

// TestMustCompile_KeywordThatNothingChecks_Panics checks that a schema with an unsupported keyword is refused,
// because its values would pass unchecked.
func TestMustCompile_KeywordThatNothingChecks_Panics(t *testing.T) {
	for _, text := range []string{`{"exclusiveMinimum":1}`, `{"properties":{"a":{"contains":{}}}}`,
		`{"$ref":"#/$defs/none"}`, `{"minLength":"1"}`} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s compiles", text)
				}
			}()
			schema.MustCompile([]byte(text))
		}()
	}
}

func compiled(t *testing.T, text []byte) *jsonschema.Resolved {
	var document jsonschema.Schema
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	resolved, err := document.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// withFloats decodes a value with float64 numbers, because the other implementation treats json.Number as a string.
func withFloats(t *testing.T, value any) (out any) {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// words are the names and choices of a schema; values made of them almost fit it.
func words(t *testing.T, text []byte) (out []string) {
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(at any)
	walk = func(at any) {
		switch at := at.(type) {
		case map[string]any:
			for key, value := range at {
				out = append(out, key)
				walk(value)
			}
		case []any:
			for _, value := range at {
				walk(value)
			}
		case string:
			if len(at) < 30 {
				out = append(out, at)
			}
		}
	}
	walk(document)
	return out
}

type generator struct {
	draw  *rand.Rand
	words []string
}

func (g generator) value(depth int) any {
	kind := g.draw.IntN(9)
	if depth == 0 {
		kind = g.draw.IntN(5)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return g.draw.IntN(2) == 0
	case 2:
		return json.Number([]string{"0", "1", "-2", "1.0", "12.5", "3e2", "1e-3", "100000000"}[g.draw.IntN(8)])
	case 3, 4:
		return g.words[g.draw.IntN(len(g.words))]
	case 5:
		list := make([]any, g.draw.IntN(3))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range g.draw.IntN(5) {
		object[g.words[g.draw.IntN(len(g.words))]] = g.value(depth - 1)
	}
	return object
}
