package cypher

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Part is a statement that is sent as a section of a joined one. Columns are its result columns.
type Part struct {
	Statement
	Key     string // name of the section: its column, and the prefix of its parameters
	Columns []string
}

// Joined is a statement that runs several statements, its parts, in one round trip and one transaction. It returns one
// row with a column per part, which contains the part's rows as a list of maps. The parameter $limit of the part "due"
// is $due_limit.
type Joined struct {
	Statement
	Parts []Part
}

// Combined lists the joined statements, for tests that check all of them.
var Combined []Joined

// join declares a joined statement. Its text is built when it is first sent.
func join(name string, parts ...Part) Joined {
	j := Joined{Statement{Name: name, lazy: sync.OnceValue(func() *text { return read(name, joinedText(name, parts)) })}, parts}
	Combined = append(Combined, j)
	return j
}

func joinedText(name string, parts []Part) string {
	parameter := regexp.MustCompile(`\$([a-z_]+)`)
	var b strings.Builder
	keys := make([]string, len(parts))
	fmt.Fprintf(&b, "// %s: several reads in one round trip.\n", name)
	for i, part := range parts {
		columns := make([]string, len(part.Columns))
		for j, column := range part.Columns {
			columns[j] = column + ": " + column
		}
		body := parameter.ReplaceAllString(part.Text(), "$$"+part.Key+"_$1")
		fmt.Fprintf(&b, "CALL () {\nCALL () {\n%s\n}\nRETURN collect({%s}) AS %s\n}\n", body, strings.Join(columns, ", "), part.Key)
		keys[i] = part.Key
	}
	fmt.Fprintf(&b, "RETURN %s", strings.Join(keys, ", "))
	return b.String()
}
