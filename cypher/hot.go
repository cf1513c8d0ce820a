package cypher

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// hotStatements are the statements of Hot, one on each line.
//
//go:embed hot.jsonl
var hotStatements []byte

// Typical is a statement with typical parameters.
type Typical struct {
	Statement
	Parameters map[string]any
}

// Hot returns the statements of a first check, followed by those of a first context and of the first page of the
// explorer, with parameters of their usual types and sizes. The server caches a plan for each statement and types of
// parameters. On a new engine, planning takes most of the time, so the supervisor plans them after a start.
func Hot() (all []Typical) {
	lines := json.NewDecoder(bytes.NewReader(hotStatements))
	lines.UseNumber()
	for {
		var line struct {
			Name       string
			Parameters map[string]any
		}
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return all
		}
		statement, ok := Catalog[line.Name]
		if err != nil || !ok { // the tests read the file
			panic("hot.jsonl: " + line.Name)
		}
		all = append(all, Typical{statement, typed(line.Parameters).(map[string]any)})
	}
}

// typed returns a parameter with its type in statements: a time for the text of one, an integer or a float for a number.
func typed(value any) any {
	switch v := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		number, _ := v.Float64()
		return number
	case []any:
		for i := range v {
			v[i] = typed(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = typed(v[name])
		}
	}
	return value
}
