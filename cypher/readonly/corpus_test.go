package readonly_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"nomograph/cypher/readonly"
	"nomograph/graph/graphtest"
)

// An entry is one query of a corpus. testdata/README.md describes the format.
type entry struct {
	name, query, word string
	params            map[string]any
	offline           bool
}

var hiddenCharacter = regexp.MustCompile(`<<(U\+|x)([0-9A-Fa-f]+)>>`)

func corpus(t testing.TB, folder string) []entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.cypher"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus in %s: %v", folder, err)
	}
	var entries []entry
	for _, file := range files {
		raw := graphtest.Must(os.ReadFile(file))(t)
		name := strings.TrimSuffix(filepath.Base(file), ".cypher")
		for i, part := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n// ---\n") {
			e := entry{name: name + "/" + strconv.Itoa(i+1), query: part}
			for e.header(t) {
			}
			if folder == "attacks" {
				e.query = hiddenCharacter.ReplaceAllStringFunc(e.query, func(s string) string {
					m := hiddenCharacter.FindStringSubmatch(s)
					n, _ := strconv.ParseUint(m[2], 16, 32)
					if m[1] == "x" {
						return string([]byte{byte(n)})
					}
					return string(rune(n))
				})
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// header removes one header line from the query.
func (e *entry) header(t testing.TB) bool {
	line, rest, _ := strings.Cut(e.query, "\n")
	key, text, ok := strings.Cut(strings.TrimPrefix(line, "// "), ": ")
	if !ok || !strings.HasPrefix(line, "// ") {
		return false
	}
	switch key {
	case "name":
		e.name += " " + text
	case "word":
		e.word = text
	case "live":
		e.offline = text == "no"
	case "params":
		d := json.NewDecoder(bytes.NewBufferString(text))
		d.UseNumber()
		if err := d.Decode(&e.params); err != nil {
			t.Fatalf("%s: params: %v", e.name, err)
		}
		e.params = whole(e.params).(map[string]any)
	default:
		return false
	}
	e.query = rest
	return true
}

// whole converts JSON numbers to int64 or float64.
func whole(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return n
		}
		f, _ := x.Float64()
		return f
	case []any:
		for i := range x {
			x[i] = whole(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = whole(x[k])
		}
	}
	return v
}

func TestCheck_Reads_AreAllowed(t *testing.T) {
	reads := corpus(t, "reads")
	if len(reads) < 300 {
		t.Errorf("only %d reads", len(reads))
	}
	for _, e := range reads {
		if err := readonly.Check(e.query, e.params); err != nil {
			t.Errorf("got %s: %v, want no error\n%s", e.name, err, e.query)
		}
	}
}

func TestCheck_Attacks_AreRefused(t *testing.T) {
	attacks := corpus(t, "attacks")
	if len(attacks) < 200 {
		t.Errorf("only %d attacks", len(attacks))
	}
	seen := map[string]string{}
	for _, e := range attacks {
		if other, ok := seen[e.query]; ok {
			t.Errorf("%s is the same query as %s", e.name, other)
		}
		seen[e.query] = e.name
		err := readonly.Check(e.query, e.params)
		refusal, ok := err.(*readonly.Refusal)
		if !ok {
			t.Errorf("%s passes\n%s", e.name, e.query)
			continue
		}
		if word := refusal.Word; e.word != "" && word != e.word && (word != "" || e.word != "the end of the query") {
			t.Errorf("%s: the refusal names %q, not %q: %v\n%s", e.name, word, e.word, err, e.query)
		}
		if refusal.Reason == "" || refusal.Instead == "" {
			t.Errorf("%s: got %v, want a refusal with a reason and an alternative", e.name, err)
		}
	}
}
