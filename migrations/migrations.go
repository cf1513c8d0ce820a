// Package migrations holds the schema changes, NNNN_verb_object.cypher, each applied once and in order. A released file
// is never edited; a later file corrects it.
package migrations

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed *.cypher
var files embed.FS

// Migration is a file of schema changes.
type Migration struct {
	Version int    // number at the start of the file name
	Name    string // file name without extension
	Text    string
}

// All returns the migrations, oldest first.
var All = sync.OnceValue(func() []Migration {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	all := make([]Migration, len(entries))
	for i, entry := range entries {
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		all[i] = Migration{Name: strings.TrimSuffix(entry.Name(), ".cypher"), Text: string(text)}
		if _, err := fmt.Sscanf(entry.Name(), "%04d_", &all[i].Version); err != nil {
			panic(entry.Name() + " does not begin with a number")
		}
	}
	return all
})

// Statements splits a migration at semicolons at line ends and removes comment lines.
func (m Migration) Statements() []string {
	var lines []string
	for line := range strings.Lines(m.Text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines = append(lines, strings.TrimRight(line, "\n\r \t"))
		}
	}
	var statements []string
	for text := range strings.SplitSeq(strings.Join(lines, "\n")+"\n", ";\n") {
		if text = strings.TrimSpace(text); text != "" {
			statements = append(statements, text)
		}
	}
	return statements
}
