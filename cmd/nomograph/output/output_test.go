package output

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"nomograph/graph/graphtest"
)

type spoken string

func (t spoken) String() string { return string(t) }

// TestOutput_ControlSequences_AreEscaped: the author of a decision must not control the terminals of its readers.
func TestOutput_ControlSequences_AreEscaped(t *testing.T) {
	evil := "ship it \x1b[2J\x1b]0;title\x07 \u202etxt.exe\r\u009b31m👩‍💻 ok"
	for name, answer := range map[string]any{"in words": spoken("1. " + evil + "\n\tmore\n"),
		"as a table": map[string]any{"rows": []any{map[string]any{"title": evil}}, "note": evil}} {
		var out bytes.Buffer
		graphtest.OK(t, (Form{}).Print(&out, answer))
		if text := out.String(); strings.ContainsAny(text, "\x1b\x07\r\u009b\u202e") ||
			!strings.Contains(text, "👩‍💻 ok") || !strings.Contains(text, "\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for _, form := range []string{"json", "yaml", "csv", "tsv", "name", "wide"} {
		var out bytes.Buffer
		answer := map[string]any{"rows": []any{map[string]any{"name": evil}}}
		if err := (Form{Name: form}).Print(&out, answer); err != nil ||
			strings.ContainsAny(out.String(), "\x1b\x07\r\u009b\u202e") {
			t.Errorf("%s: %q, %v", form,
				out.String(), err)
		}
		var back struct{ Rows []struct{ Name string } }
		if form == "json" || form == "yaml" { // both formats escape control sequences and lose nothing
			if err := yaml.Unmarshal(out.Bytes(), &back); err != nil || back.Rows[0].Name != evil {
				t.Errorf("%s is read as %q, %v", form, back, err)
			}
		}
	}
}

func TestForm_FieldsWithJSON_RestrictTheAnswer(t *testing.T) {
	list := map[string]any{"policies": []any{map[string]any{"name": "a", "active": true},
		map[string]any{"name": "b", "active": false}}, "total": 2}
	nested := map[string]any{"decision": map[string]any{"id": "ab12", "title": "Use Go"}, "reviews": []any{}}
	for _, c := range []struct {
		answer any
		form   Form
		want   string
	}{
		{list, Form{Name: "json", Fields: []string{"name"}}, `[{"name": "a"}, {"name": "b"}]`},
		{list, Form{Name: "json", Fields: []string{"total"}}, `{"total": 2}`},
		{list, Form{Name: "yaml", Fields: []string{"name", "active"}},
			`[{"name": "a", "active": true}, {"name": "b", "active": false}]`},
		{nested, Form{Name: "json", Fields: []string{"title"}}, `{"title": "Use Go"}`},
		{nested, Form{Fields: []string{"title"}}, "Use Go"},
		{nested, Form{Fields: []string{"id", "title"}}, "ab12\tUse Go"},
	} {
		var out bytes.Buffer
		if err := c.form.Print(&out, c.answer); err != nil {
			t.Errorf("%+v: got %v, want no error", c.form, err)
			continue
		}
		if c.form.Name == "" {
			graphtest.Equal(t, strings.TrimSuffix(out.String(), "\n"), c.want, fmt.Sprint(c.form))
			continue
		}
		var got, want any
		if err := yaml.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%+v: got %v, want no error", c.form, err)
		}
		graphtest.OK(t, yaml.Unmarshal([]byte(c.want), &want))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: got %v, want %v", c.form, got, want)
		}
	}
	if err := (Form{Name: "json", Fields: []string{"titel"}}).Print(io.Discard, nested); err == nil ||
		!strings.Contains(err.Error(), "titel") {
		t.Errorf("an unknown field: got %v, want an error that names it", err)
	}
}

func TestForm_NestedValuesInAPipe_StandOnLinesOfTheirOwn(t *testing.T) {
	var out bytes.Buffer
	answer := map[string]any{"id": "1", "inner": map[string]any{"a": "x", "b": "y"}}
	graphtest.OK(t, (Form{}).Print(&out, answer))
	graphtest.Contains(t, out.String(), "inner\n  a  x\n  b  y\n")
}

func TestForm_RowsWithNestedValuesInAPipe_HaveNoLongLines(t *testing.T) {
	event := func(id string) map[string]any {
		return map[string]any{"seq": id, "payload": map[string]any{"title": strings.Repeat("word ", 30),
			"reasons": []any{map[string]any{"text": strings.Repeat("why ", 25), "type": "analysis"}}}}
	}
	answer := map[string]any{"events": []any{event("1"), event("2")}}
	var out, wide bytes.Buffer
	graphtest.OK(t, (Form{}).Print(&out, answer))
	graphtest.OK(t, (Form{Name: "wide"}).Print(&wide, answer))
	for line := range strings.Lines(out.String()) {
		if len(line) > 180 {
			t.Errorf("a line has %d characters: %s", len(line), line)
		}
	}
	if !strings.Contains(out.String(), "seq      2\n") || !strings.Contains(out.String(), "analysis") ||
		strings.Count(wide.String(), "\n") != 3 {
		t.Errorf("got %s\nwide %s", out.String(), wide.String())
	}
}

// TestCSV_TextLikeAFormula_IsNoFormula: a spreadsheet must not execute recorded text.
func TestCSV_TextLikeAFormula_IsNoFormula(t *testing.T) {
	var out bytes.Buffer
	rows := []any{map[string]any{"a": "=HYPERLINK(1)", "b": "+1", "c": "-1", "d": "@x", "e": "\tx", "f": "x=1",
		"g": -1.5}}
	graphtest.OK(t, (Form{Name: "csv"}).Print(&out, map[string]any{"rows": rows}))
	if got, want := out.String(), "a,b,c,d,e,f,g\n'=HYPERLINK(1),'+1,'-1,'@x,'\tx,x=1,-1.5\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
