package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/apperr"
)

func TestNamedQuery_Headers_AreRead(t *testing.T) {
	const ok = "RETURN 1 AS one"
	good := map[string]struct{ file, text, use, input string }{
		"a sentence alone": {"q1.cypher", "// What is it?\n" + ok, "What is it?", `{}`},
		"two lines":        {"q1.cypher", "// What\n// is it?\n" + ok, "What is it?", `{}`},
		"Windows line ends": {"q1.cypher", "// What?\r\n// $a: string, text\r\nRETURN $a\r\n", "What?",
			`{"a":{"type":"string","description":"text","maxLength":10000}}`},
		"no blank after the marks": {"q1.cypher", "//What?\n//$a:integer=1\nRETURN $a", "What?",
			`{"a":{"type":"integer","default":1}}`},
		"blank lines between": {"q1.cypher", "\n// What?\n\n// $a: boolean = false\n\nRETURN $a", "What?",
			`{"a":{"type":"boolean","default":false}}`},
		"a float default": {"q1.cypher", "// What?\n// $a: number = 1.0, how much\nRETURN $a", "What?",
			`{"a":{"type":"number","description":"how much","default":1.0}}`},
		"text without quotes": {"q1.cypher", "// What?\n// $a: string = two words, it\nRETURN $a", "What?",
			`{"a":{"type":"string","description":"it","default":"two words","maxLength":10000}}`},
		"a list": {"q1.cypher", "// What?\n// $a: strings = [\"x\"], them\nRETURN $a", "What?",
			`{"a":{"type":"array","description":"them","default":["x"],"items":{"type":"string"},"maxItems":1000}}`},
		"a list of two": {"q1.cypher", "// What?\n// $a: strings = [\"x\", \"y\"], them\nRETURN $a", "What?",
			`{"a":{"type":"array","description":"them","default":["x","y"],"items":{"type":"string"},"maxItems":1000}}`},
		"text with a comma": {"q1.cypher", "// What?\n// $a: string = \"x, y\", it\nRETURN $a", "What?",
			`{"a":{"type":"string","description":"it","default":"x, y","maxLength":10000}}`},
		"comments in the query": {"q1.cypher", "// What?\n" + ok + " // $zzz: what\n", "What?", `{}`},
	}
	for name, tt := range good {
		t.Run(name, func(t *testing.T) {
			o, err := namedQuery(tt.file, tt.text, "queries")
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(o.Input().Properties)
			var got, want any
			if json.Unmarshal(text, &got) != nil || json.Unmarshal([]byte(tt.input), &want) != nil ||
				fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("input %s, want %s", text, tt.input)
			}
			if o.Use != tt.use || o.Name != "q1" || o.Title != "Q1" || o.CLI.Command != "query q1" ||
				o.REST != "GET /v1/queries/q1" || o.Hints != readOnly {
				t.Errorf(`got %q %q %q %q %q, want Use=%v, Name=q1, Title=Q1, Command="query q1", REST="GET /v1/queries/q1", Hints=%v`, o.Use, o.Name, o.Title, o.CLI.Command, o.REST, tt.use, readOnly)
			}
		})
	}
	bad := map[string]struct{ file, text, want string }{
		"a name in capitals": {"Q1.cypher", "// What?\n" + ok, `"Q1" is not a valid query name`},
		"a name with a dash": {"my-query.cypher", "// What?\n" + ok, `"my-query" is not a valid query name`},
		"a name too short":   {"q.cypher", "// What?\n" + ok, `"q" is not a valid query name`},
		"a name too long": {strings.Repeat("q", 46) + ".cypher", "// What?\n" + ok,
			"is not a valid query name"},
		"a bad name in a line": {"q1.cypher", "// What?\n// name: drop table\n" + ok,
			`"drop table" is not a valid query name`},
		"no sentence":     {"q1.cypher", ok, "must begin with a comment"},
		"only parameters": {"q1.cypher", "// $a: string\nRETURN $a", "must begin with a comment"},
		"an unknown type": {"q1.cypher", "// What?\n// $a: float\nRETURN $a",
			"q1.cypher:2: a parameter is written as"},
		"no type": {"q1.cypher", "// What?\n//\n// $a\nRETURN $a",
			"q1.cypher:3: a parameter is written as"},
		"a default that is no JSON": {"q1.cypher", "// What?\n// $a: integer = many\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"text for a number": {"q1.cypher", "// What?\n// $a: integer = \"7\"\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"a fraction for an integer": {"q1.cypher", "// What?\n// $a: integer = 1.5\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"a number for truth": {"q1.cypher", "// What?\n// $a: boolean = 1\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"numbers for strings": {"q1.cypher", "// What?\n// $a: strings = [1]\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"a default beyond 64 bits": {"q1.cypher", "// What?\n// $a: integer = 9223372036854775808\nRETURN $a",
			"q1.cypher:2: the default of $a"},
		"a parameter declared twice": {"q1.cypher", "// What?\n// $a: integer = 1\n// $a: integer = 2\nRETURN $a",
			"q1.cypher:3:"},
		"an undeclared parameter": {"q1.cypher", "// What?\nRETURN $a",
			"the query uses $a, which the header does not declare"},
		"an unused declaration": {"q1.cypher", "// What?\n// $a: string\n" + ok,
			"the header declares $a, which the query does not use"},
		"query is empty": {"q1.cypher", "// What?\n", "q1.cypher: "},
		"nothing":        {"q1.cypher", "", "must begin with a comment"},
	}
	for name, tt := range bad {
		t.Run(name, func(t *testing.T) {
			_, err := namedQuery(tt.file, tt.text, "queries")
			f := apperr.From(err)
			if f == nil || f.Code != apperr.Validation && f.Code != apperr.QueryRefused ||
				!strings.Contains(f.Message, tt.want) || !strings.Contains(f.Message, tt.file) || f.Hint == "" {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("a query that writes is refused", func(t *testing.T) {
		_, err := namedQuery("sweep.cypher", "// Sweeps.\nMATCH (n) DELETE n", "queries")
		f := apperr.From(err)
		if f == nil || f.Code != apperr.QueryRefused ||
			!strings.HasPrefix(f.Message, "sweep.cypher: DELETE at line 2, column 11") {
			t.Error(err)
		}
	})
}

func TestNamedQueries_Folder_IsRead(t *testing.T) {
	t.Run("a missing folder", func(t *testing.T) {
		for _, dir := range []string{"testdata/no_such_folder", ""} {
			operations, problems := Operations(dir)
			if len(operations) <= len(Catalog) || len(problems) != 0 {
				t.Errorf("%d operations, %v", len(operations), problems)
			}
		}
	})
	t.Run("a folder with valid queries", func(t *testing.T) {
		operations, problems := Operations("testdata/queries")
		if len(problems) != 0 {
			t.Error(problems)
		}
		mine, ok := Find(operations, "history_of")
		if !ok || mine.Toolset != "queries" || !strings.HasPrefix(mine.Use, "Stands in") {
			t.Errorf("an operator's query does not replace a shipped one: %+v", mine)
		}
		if n := len(slices.DeleteFunc(slices.Clone(operations),
			func(o Operation) bool { return o.Name != "history_of" })); n != 1 {
			t.Errorf("%d of a name", n)
		}
		above, _ := Find(operations, "thresholds_above")
		if got := fmt.Sprint(above.Input().Required, above.CLI.Args,
			above.Input().PropertyOrder); got != "[least] [least] [least names active limit]" {
			t.Error(got)
		}
	})
	t.Run("invalid files are reported", func(t *testing.T) {
		operations, problems := Operations("testdata/wrong")
		var text []string
		for _, p := range problems {
			text = append(text, string(apperr.From(p).Code)+" "+p.Error())
		}
		all := strings.Join(text, "\n")
		for _, want := range []string{"conflict Query 'get_policy'", "query_refused writes.cypher: DETACH at line 2",
			"validation_error silent.cypher:1"} {
			if !strings.Contains(all, want) {
				t.Errorf("%q is missing in\n%s", want, all)
			}
		}
		if _, ok := Find(operations, "good"); !ok || len(problems) != 3 {
			t.Errorf("%d problems; good is there: %v", len(problems), ok)
		}
		if o, _ := Find(operations, "get_policy"); o.Toolset != "policy" {
			t.Error("an operation was replaced by a query")
		}
	})
}

func FuzzNamedQuery(f *testing.F) {
	for _, text := range []string{"// What?\n// $a: integer = 1, it\nRETURN $a", "// name: x\n//\n// $",
		"// $a: strings = [\"x\"]\r\n", "//$a:string=\"\\", "\ufeff// What?\nRETURN 1", "// $a: number = 1e999"} {
		f.Add("query_one.cypher", text)
	}
	f.Add(".cypher", "//")
	f.Fuzz(func(t *testing.T, file, text string) {
		o, err := namedQuery(file, text, "queries")
		if err != nil {
			if !apperr.Is(err, apperr.Validation) && !apperr.Is(err, apperr.QueryRefused) {
				t.Errorf("%q: got %v, want not !apperr.Is(err, apperr.Validation) && !apperr.Is(err, apperr.QueryRefused)", text, err)
			}
			return
		}
		if o.Name == "" || o.Use == "" || len(o.Input().PropertyOrder) != len(o.Input().Properties) {
			t.Errorf("%q: got %+v, want non-empty Name, non-empty Use, len(PropertyOrder)=len(o.Input().Properties)",
				text, o)
		}
		if _, err := o.decode(t.Context(), json.RawMessage("{}")); (err != nil) != (len(o.Input().Required) > 0) {
			t.Errorf("%q: without arguments %v", text, err)
		}
	})
}
