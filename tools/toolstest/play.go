package toolstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/schema"
	"nomograph/tools"
)

// Stage is where calls are played: an application on a graph, with callers by name. Other names are administrators.
type Stage struct {
	Graph      *graphtest.Graph
	App        *tools.App
	Operations []tools.Operation // nil is the catalog
	Callers    map[string]caller.Caller
	Names      map[string]string // "$name" in a file stands for the value
}

// Play makes the calls in a file, one on each line:
//
//	CALLER OPERATION {arguments} => a part of the answer, as JSON or as text ; -what is no part of it
//	CALLER OPERATION {arguments} => list.0.field == value at a path of gjson
//	CALLER OPERATION {arguments} => !not_found ; a text in the error
//	name = CALLER OPERATION {arguments}
//	cypher STATEMENT
//	rows STATEMENT => a text in the rows as JSON ; -a text that is not in them
//	wait
//
// A text is all in one place, or "one ... other", the other behind the one. wait waits until search and counters have
// all decisions. "name =" names the id in the answer. A line "== title" begins a group, and # a comment.
func (s Stage) Play(t *testing.T, path string) {
	t.Helper()
	text := graphtest.Must(os.ReadFile(path))(t)
	names := map[string]string{}
	maps.Copy(names, s.Names)
	for _, group := range strings.Split("\n"+string(text), "\n== ") {
		title, lines, _ := strings.Cut(group, "\n")
		t.Run(title, func(t *testing.T) {
			for line := range strings.Lines(lines) {
				if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
					continue
				}
				line = os.Expand(line, func(name string) string {
					if _, known := names[name]; !known {
						t.Fatalf("$%s is not known: %s", name, line)
					}
					return names[name]
				})
				kind, rest, _ := strings.Cut(line, " ")
				switch {
				case kind == "wait":
					WaitForWorkers(t, s.Graph)
				case kind == "cypher":
					s.Graph.Exec(t, rest, nil)
				case kind == "rows":
					statement, wants, _ := strings.Cut(rest, " => ")
					rows := graphtest.Must(json.Marshal(s.Graph.Rows(t, statement, nil)))(t)
					hold(t, line, string(rows), strings.Split(wants, " ; "))
				case strings.HasPrefix(rest, "= "):
					names[kind] = gjson.Get(s.Call(t, rest[2:]), "id").String()
				default:
					s.Call(t, line)
				}
			}
		})
	}
}

// Call makes the call of a line, and returns its answer. An answer must match the schema of its operation, and have the
// same text after it was sent over the network.
func (s Stage) Call(t *testing.T, line string) string {
	t.Helper()
	call, wants, _ := strings.Cut(line+" ", " => ")
	by, call, _ := strings.Cut(call, " ")
	name, arguments, _ := strings.Cut(call, " ")
	operations := s.Operations
	if operations == nil {
		operations = tools.Catalog
	}
	o, ok := tools.Find(operations, name)
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
	case err != nil && (!fails || string(f.Code) != code || f.Hint == "" && f.Code == apperr.Validation):
		t.Fatalf("%s: got %v (%v), hint %q", line, f, f.Unwrap(), f.Hint)
	case err != nil:
		answer, parts = f.Error()+fmt.Sprint(f.Details), parts[1:]
	default:
		answer = string(graphtest.Must(json.Marshal(out))(t))
		validate(t, o, out, answer)
	}
	hold(t, line, answer+"\n"+Text(out), parts)
	return answer
}

var atPath = regexp.MustCompile(`^([\w.#]+) == (.*)$`)

// hold fails the test unless an answer has the texts and values, and lacks the texts after "-".
func hold(t *testing.T, line, answer string, wants []string) {
	t.Helper()
	for _, want := range wants {
		hidden, lacks := strings.CutPrefix(want, "-")
		failed := lacks == contains(answer, hidden)
		if at := atPath.FindStringSubmatch(want); at != nil {
			failed = gjson.Get(answer, at[1]).String() != at[2]
		}
		if failed {
			t.Errorf("%s: want %q: got %s", line, want, answer)
		}
	}
}

// contains reports whether an answer has the parts of a text, which " ... " separates, one after another.
func contains(answer, text string) bool {
	for part := range strings.SplitSeq(text, " ... ") {
		_, rest, found := strings.Cut(answer, part)
		if !found {
			return false
		}
		answer = rest
	}
	return true
}

// validate compares an answer with the schema of its operation, and its text with that of the JSON.
func validate(t *testing.T, o tools.Operation, out any, answer string) {
	t.Helper()
	var value any
	graphtest.OK(t, json.Unmarshal([]byte(answer), &value))
	form := graphtest.Must(json.Marshal(o.Output()))(t)
	for _, p := range schema.MustCompile(form).Check(value) {
		t.Errorf("the answer of %s: %s, at %v", o.Name, p.Message, p.Path)
	}
	over := graphtest.Must(o.Answered([]byte(answer)))(t)
	if got, want := textOf(over), textOf(out); got != want {
		t.Errorf("%s over the network: got\n%s\nwant\n%s", o.Name, got, want)
	}
}

// textOf returns an answer as text, and whether it is a denial or a failure.
func textOf(answer any) string {
	verdict, _ := answer.(interface{ Denied() bool })
	failed, _ := answer.(interface{ Failed() bool })
	return fmt.Sprintln(verdict != nil && verdict.Denied(), failed != nil && failed.Failed()) + Text(answer)
}
