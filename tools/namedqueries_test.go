package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestNamedQuery_Headers_AreRead(t *testing.T) {
	lines := strings.NewReplacer(`\n`, "\n", `\r`, "\r")
	for _, row := range golden.Rows(t, "testdata/headers.txt") {
		t.Run(row[0], func(t *testing.T) {
			o := graphtest.Must(namedQuery("q1.cypher", lines.Replace(row[3]), "queries"))(t)
			text, _ := json.Marshal(o.Input().Properties)
			var got, want any
			if json.Unmarshal(text, &got) != nil || json.Unmarshal([]byte(row[2]), &want) != nil ||
				fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("input %s, want %s", text, row[2])
			}
			if o.Use != row[1] || o.Name != "q1" || o.Title != "Q1" || o.Command != "query q1" ||
				o.REST != "GET /v1/queries/q1" || o.Hints != readOnly {
				t.Errorf(`got %q %q %q %q %q, want Use=%v, Name=q1, Title=Q1, Command="query q1", REST="GET /v1/queries/q1", Hints=%v`, o.Use, o.Name, o.Title, o.Command, o.REST, row[1], readOnly)
			}
		})
	}
	for _, row := range golden.Rows(t, "testdata/bad_headers.txt") {
		t.Run(row[0], func(t *testing.T) {
			file := strings.Replace(row[1], "LONG", strings.Repeat("q", 46), 1)
			_, err := namedQuery(file, lines.Replace(row[3]), "queries")
			f := apperr.From(err)
			if f == nil || f.Code != apperr.Validation && f.Code != apperr.QueryRefused ||
				!strings.Contains(f.Message, row[2]) || !strings.Contains(f.Message, file) || f.Hint == "" {
				t.Errorf("got %v, want %s", err, row[2])
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
		graphtest.Equal(t, len(slices.DeleteFunc(slices.Clone(operations),
			func(o Operation) bool { return o.Name != "history_of" })), 1, "operations of a name")

		above, _ := Find(operations, "thresholds_above")
		graphtest.Equal(t, fmt.Sprint(above.Input().Required, above.CLI.Args,
			above.Input().PropertyOrder), "[least] [least] [least names active limit]", "required")
	})
	t.Run("invalid files are reported", func(t *testing.T) {
		operations, problems := Operations("testdata/wrong")
		var text []string
		for _, p := range problems {
			text = append(text, string(apperr.From(p).Code)+" "+p.Error())
		}
		all := strings.Join(text, "\n")
		graphtest.Contains(t, all, "conflict Query 'get_policy'",
			"query_refused writes.cypher: DETACH at line 2",
			"validation_error silent.cypher:1")

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
