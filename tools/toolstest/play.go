package toolstest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/schema"
	"nomograph/tools"
)

// Stage is where calls are played: an application on a graph, with callers by name. Other names are administrators.
type Stage struct {
	Graph   *graphtest.Graph
	App     *tools.App
	Callers map[string]caller.Caller
	Names   map[string]string // "$name" in a line stands for the value
}

// Play makes the calls in a file, one on each line:
//
//	CALLER OPERATION {arguments} => a text in the answer ; -a text that is not in it
//	CALLER OPERATION {arguments} => !not_found ; a text in the error
//	cypher STATEMENT
//
// A line "== title" begins a group, and # a comment. Answers must match the schema of their operation.
func (s Stage) Play(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	graphtest.OK(t, err)
	var pairs []string
	for name, value := range s.Names {
		pairs = append(pairs, "$"+name, value)
	}
	for _, group := range strings.Split("\n"+string(text), "\n== ") {
		title, lines, _ := strings.Cut(strings.NewReplacer(pairs...).Replace(group), "\n")
		t.Run(title, func(t *testing.T) {
			for line := range strings.Lines(lines) {
				if statement, of := strings.CutPrefix(line, "cypher "); of {
					s.Graph.Exec(t, statement, nil)
				} else if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					s.Call(t, line)
				}
			}
		})
	}
}

// Call makes the call of a line, and returns its answer.
func (s Stage) Call(t *testing.T, line string) string {
	t.Helper()
	call, wants, _ := strings.Cut(line+" ", " => ")
	by, call, _ := strings.Cut(call, " ")
	name, arguments, _ := strings.Cut(call, " ")
	o, ok := tools.Find(tools.Catalog, name)
	if !ok {
		t.Fatalf("%s is missing", name)
	}
	who, known := s.Callers[by]
	if !known {
		who = caller.Caller{Name: by, Permissions: []caller.Permission{caller.Admin}, Connection: "c-" + by}
	}
	out, err := o.Run(caller.With(t.Context(), who), s.App, json.RawMessage(arguments))
	parts := strings.Split(strings.TrimSpace(wants), " ; ")
	code, fails := strings.CutPrefix(parts[0], "!")
	var answer string
	switch f := apperr.From(err); {
	case err == nil && fails:
		t.Fatalf("%s: got no error, want %s", line, code)
	case err != nil && (!fails || string(f.Code) != code):
		t.Fatalf("%s: got %v (%v)", line, f, f.Unwrap())
	case err != nil:
		answer, parts = f.Error()+fmt.Sprint(f.Details), parts[1:]
	default:
		answer = string(graphtest.Must(json.Marshal(out))(t))
		s.validate(t, o, answer)
	}
	for _, want := range parts {
		if hidden, lacks := strings.CutPrefix(want, "-"); lacks == strings.Contains(answer, hidden) {
			t.Errorf("%s: want %q: got %s", line, want, answer)
		}
	}
	return answer
}

// validate compares an answer with the schema of its operation.
func (s Stage) validate(t *testing.T, o tools.Operation, answer string) {
	t.Helper()
	var value any
	graphtest.OK(t, json.Unmarshal([]byte(answer), &value))
	form := graphtest.Must(json.Marshal(o.Output()))(t)
	if problems := schema.MustCompile(form).Check(value); len(problems) > 0 {
		t.Errorf("the answer of %s violates its schema: %v", o.Name, problems)
	}
}
