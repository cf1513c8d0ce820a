package document_test

import (
	"encoding/json"
	"testing"

	"github.com/tidwall/gjson"

	"nomograph/graph/graphtest"
	"nomograph/internal/document"
)

// FuzzDocument checks that every text is read or refused within the limits, and that duplicate keys are refused.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"", "a: 1\nb: [1, {c: d}]\n", `{"a": {"b": [1, 2.5, null, true, "x"]}}`,
		`{"a": 1, "\u0061": 2}`, "a: &x [*x]", "? [a]\n: b", "[[[[", "a: |\n  b\n c", "{", "\xff\xfe", "- - - -",
		"a: *none"} {
		f.Add(text)
	}
	limits := document.Limits{Bytes: 10_000, Depth: 20, Aliases: 10, Nodes: 500}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if err := document.JSON(t.Context(), []byte(text), limits); err == nil &&
			json.Unmarshal([]byte(text), &value) == nil {
			graphtest.Equal(t, writtenKeys(gjson.Parse(text)), readKeys(value), text, "passes", "keys and is as")
		}
		if _, err := document.YAML(t.Context(), text, limits); err == nil && len(text) > limits.Bytes {
			t.Errorf("%d bytes are read", len(text))
		}
	})
}

// writtenKeys counts the keys of a text, including duplicates.
func writtenKeys(value gjson.Result) (n int) {
	if !value.IsObject() && !value.IsArray() {
		return 0
	}
	value.ForEach(func(_, inner gjson.Result) bool {
		if value.IsObject() {
			n++
		}
		n += writtenKeys(inner)
		return true
	})
	return n
}

// readKeys counts the keys of the parsed text.
func readKeys(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, inner := range v {
			n += readKeys(inner)
		}
	case []any:
		for _, inner := range v {
			n += readKeys(inner)
		}
	}
	return n
}
